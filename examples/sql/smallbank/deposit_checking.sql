-- serval: param c 1..2
BEGIN;
UPDATE checking SET bal = bal + 1 WHERE id = :c;
COMMIT;
