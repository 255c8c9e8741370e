-- serval: param person 1..2
BEGIN;
SELECT taken_by AS who FROM seats WHERE id = 1 \gset
\if :who = 0
UPDATE seats SET taken_by = :person WHERE id = 1;
\endif
COMMIT;
