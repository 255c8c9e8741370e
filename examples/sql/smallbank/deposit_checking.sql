-- Deposit checking: a deposit to the checking account of a customer.
BEGIN;
UPDATE checking SET bal = bal + 1 WHERE id = :c;
COMMIT;
