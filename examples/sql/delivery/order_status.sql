BEGIN;
SELECT o_carrier_id FROM orders WHERE o_d_id = 1;
SELECT o_carrier_id FROM orders WHERE o_d_id = 2;
COMMIT;
