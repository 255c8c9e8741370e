-- Balance: both accounts of a customer.
BEGIN;
SELECT bal FROM savings WHERE id = :c;
SELECT bal FROM checking WHERE id = :c;
COMMIT;
