-- Amalgamate: all money of one customer goes to the checking account of another.
BEGIN;
SELECT bal AS s FROM savings WHERE id = :a FOR UPDATE \gset
UPDATE savings SET bal = 0 WHERE id = :a;
SELECT bal AS k FROM checking WHERE id = :a FOR UPDATE \gset
UPDATE checking SET bal = 0 WHERE id = :a;
UPDATE checking SET bal = bal + :s + :k WHERE id = :b;
COMMIT;
