BEGIN;
UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1;
UPDATE district SET d_ytd = d_ytd + 1 WHERE d_w_id = 1 AND d_id = :d RETURNING d_ytd;
UPDATE customer SET c_balance = c_balance - 1 WHERE c_id = :c;
COMMIT;
