-- Transact savings: a deposit to, or a withdrawal from, the savings of a customer.
BEGIN;
UPDATE savings SET bal = bal + 1 WHERE id = :c;
COMMIT;
