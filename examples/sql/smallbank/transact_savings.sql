-- serval: param c 1..2
BEGIN;
SELECT bal AS b FROM savings WHERE id = :c \gset
\if :b < 1
UPDATE savings SET bal = :b + 1 WHERE id = :c;
\endif
COMMIT;
