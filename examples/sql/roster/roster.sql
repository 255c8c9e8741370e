BEGIN;
SELECT on_call FROM doctors WHERE id = 1;
SELECT on_call FROM doctors WHERE id = 2;
COMMIT;
