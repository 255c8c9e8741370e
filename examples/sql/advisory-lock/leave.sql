BEGIN;
SELECT pg_advisory_xact_lock(7);
SELECT count(*) AS others FROM doctors WHERE on_call AND id <> :doctor \gset
\if :others > 0
UPDATE doctors SET on_call = false WHERE id = :doctor;
\endif
COMMIT;
