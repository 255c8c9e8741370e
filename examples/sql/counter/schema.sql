-- A counter that the client reads, adds to and writes back: updates are lost.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO counter VALUES (1, 0);
-- serval: range counter.n 0..3 wrap
