BEGIN;
UPDATE orders SET o_carrier_id = 1 WHERE o_d_id = 1 AND o_carrier_id = 0;
UPDATE customer SET c_delivered = c_delivered + :ROW_COUNT WHERE c_id = 1;
UPDATE orders SET o_carrier_id = 1 WHERE o_d_id = 2 AND o_carrier_id = 0;
UPDATE customer SET c_delivered = c_delivered + :ROW_COUNT WHERE c_id = 1;
COMMIT;
