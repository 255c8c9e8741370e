-- Write check: money leaves the checking account; one more is taken where both accounts together do not have it.
BEGIN;
SELECT bal AS s FROM savings WHERE id = :c \gset
SELECT bal AS k FROM checking WHERE id = :c \gset
\if :s + :k < 1
UPDATE checking SET bal = bal - 2 WHERE id = :c;
\else
UPDATE checking SET bal = bal - 1 WHERE id = :c;
\endif
COMMIT;
