-- TPC-C: delivery takes the oldest order of each of two districts, one after the other, in one transaction; order status reads what a
-- customer has got in both. Read in two statements, it can see one district before the delivery and the other behind it.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE orders (o_d_id int PRIMARY KEY, o_carrier_id int NOT NULL);
CREATE TABLE customer (c_id int PRIMARY KEY, c_delivered int NOT NULL);
INSERT INTO orders VALUES (1, 0), (2, 0);
INSERT INTO customer VALUES (1, 0);
-- serval: range orders.o_carrier_id 0..1 wrap
-- serval: range customer.c_delivered 0..3 wrap
