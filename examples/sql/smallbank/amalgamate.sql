-- serval: param a 1..2
-- serval: param b 1..2
BEGIN;
SELECT bal AS s FROM savings WHERE id = :a \gset
SELECT bal AS c FROM checking WHERE id = :a \gset
UPDATE savings SET bal = 0 WHERE id = :a;
UPDATE checking SET bal = 0 WHERE id = :a;
UPDATE checking SET bal = bal + :s + :c WHERE id = :b;
COMMIT;
