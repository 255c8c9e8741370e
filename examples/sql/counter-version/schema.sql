-- The client compares what it read when it writes, and tries again where another was faster.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO counter VALUES (1, 0);
-- serval: range counter.n 0..3 wrap
