-- Balance: the sum of both accounts of a customer.
-- serval: param c 1..2
BEGIN;
SELECT bal FROM savings WHERE id = :c;
SELECT bal FROM checking WHERE id = :c;
COMMIT;
