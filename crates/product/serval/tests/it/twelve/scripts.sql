-- name: amalgamate
BEGIN;
SELECT bal AS s FROM savings WHERE id = :a FOR UPDATE \gset
UPDATE savings SET bal = 0 WHERE id = :a;
SELECT bal AS k FROM checking WHERE id = :a FOR UPDATE \gset
UPDATE checking SET bal = 0 WHERE id = :a;
UPDATE checking SET bal = bal + :s + :k WHERE id = :b;
COMMIT;
-- name: balance
BEGIN;
SELECT bal FROM savings WHERE id = :c;
SELECT bal FROM checking WHERE id = :c;
COMMIT;
-- name: book
-- serval: param person 1..2
BEGIN;
SELECT taken_by AS who FROM seats WHERE id = 1 \gset
\if :who = 0
UPDATE seats SET taken_by = :person WHERE id = 1;
UPDATE checking SET bal = bal - 1 WHERE id = :person;
\endif
COMMIT;
-- name: cancel
-- serval: param person 1..2
BEGIN;
UPDATE seats SET taken_by = 0 WHERE id = 1 AND taken_by = :person;
\if :ROW_COUNT > 0
UPDATE checking SET bal = bal + 1 WHERE id = :person;
\endif
COMMIT;
-- name: delivery
BEGIN;
UPDATE orders SET carrier = 1 WHERE o_id = :o AND carrier = 0;
\if :ROW_COUNT > 0
UPDATE checking SET bal = bal + 1 WHERE id = :o;
\endif
COMMIT;
-- name: deposit_checking
BEGIN;
UPDATE checking SET bal = bal + 1 WHERE id = :c;
COMMIT;
-- name: new_order
BEGIN;
UPDATE stock SET quantity = quantity - 1 WHERE s_id = 1;
UPDATE orders SET carrier = 0 WHERE o_id = :o;
COMMIT;
-- name: order_status
BEGIN;
SELECT bal FROM checking WHERE id = :c;
SELECT carrier FROM orders WHERE o_id = :c;
COMMIT;
-- name: payment
BEGIN;
UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 1;
UPDATE checking SET bal = bal - 1 WHERE id = :c;
COMMIT;
-- name: stock_level
SELECT quantity FROM stock WHERE s_id = 1;
-- name: transact_savings
BEGIN;
UPDATE savings SET bal = bal + 1 WHERE id = :c;
COMMIT;
-- name: write_check
BEGIN;
SELECT bal AS s FROM savings WHERE id = :c FOR UPDATE \gset
SELECT bal AS k FROM checking WHERE id = :c FOR UPDATE \gset
\if :s + :k < 1
UPDATE checking SET bal = bal - 2 WHERE id = :c;
\else
UPDATE checking SET bal = bal - 1 WHERE id = :c;
\endif
COMMIT;
