-- A bank, a shop and a theatre with one set of accounts: SmallBank with locks where it writes a check, payment, new
-- order, delivery, order status and stock level as in TPC-C, and seats that are booked and given back.
CREATE TABLE checking (id int PRIMARY KEY, bal int NOT NULL);
CREATE TABLE savings  (id int PRIMARY KEY, bal int NOT NULL);
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_ytd int NOT NULL);
CREATE TABLE stock (s_id int PRIMARY KEY, quantity int NOT NULL);
CREATE TABLE orders (o_id int PRIMARY KEY, carrier int NOT NULL);
CREATE TABLE seats (id int PRIMARY KEY, taken_by int NOT NULL);
INSERT INTO checking VALUES (1, 1), (2, 1);
INSERT INTO savings  VALUES (1, 1), (2, 1);
INSERT INTO warehouse VALUES (1, 0);
INSERT INTO stock VALUES (1, 1);
INSERT INTO orders VALUES (1, 0), (2, 0);
INSERT INTO seats VALUES (1, 0);
-- serval: range checking.bal 0..1 wrap
-- serval: range savings.bal 0..1 wrap
-- serval: range warehouse.w_ytd 0..1 wrap
-- serval: range stock.quantity 0..1 wrap
-- serval: range orders.carrier 0..1
-- serval: range seats.taken_by 0..2
