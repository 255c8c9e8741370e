BEGIN;
SELECT id FROM doctors WHERE on_call AND id <> :doctor FOR UPDATE;
\if :ROW_COUNT > 0
UPDATE doctors SET on_call = false WHERE id = :doctor;
\endif
COMMIT;
