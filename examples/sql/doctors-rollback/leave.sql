BEGIN;
UPDATE doctors SET on_call = false WHERE id = :doctor;
SELECT count(*) AS left_over FROM doctors WHERE on_call \gset
\if :left_over > 0
COMMIT;
\else
ROLLBACK;
\endif
