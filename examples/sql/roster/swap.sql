BEGIN;
UPDATE doctors SET on_call = NOT on_call WHERE id = 1;
UPDATE doctors SET on_call = NOT on_call WHERE id = 2;
COMMIT;
