SELECT id, on_call FROM doctors ORDER BY id;
