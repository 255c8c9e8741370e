-- TPC-C: a payment is added to a warehouse, a district and a customer; an order status reads the customer.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE warehouse (w_id int PRIMARY KEY, w_ytd int NOT NULL);
CREATE TABLE district (d_w_id int, d_id int, d_ytd int NOT NULL, PRIMARY KEY (d_w_id, d_id));
CREATE TABLE customer (c_id int PRIMARY KEY, c_balance int NOT NULL, c_data text);
INSERT INTO warehouse VALUES (1, 0);
INSERT INTO district VALUES (1, 1, 0), (1, 2, 0);
INSERT INTO customer VALUES (1, 0, ''), (2, 0, '');
-- serval: range warehouse.w_ytd 0..1 wrap
-- serval: range district.d_ytd 0..1 wrap
-- serval: range customer.c_balance 0..1 wrap
