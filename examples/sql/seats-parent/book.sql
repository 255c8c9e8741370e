BEGIN;
SELECT places FROM flights WHERE id = 1 FOR UPDATE \gset
SELECT count(*) AS taken FROM seats WHERE taken \gset
\if :taken < :places
UPDATE seats SET taken = true WHERE id = :seat;
\endif
COMMIT;
