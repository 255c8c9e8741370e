-- FOR UPDATE holds the row from the SELECT to the COMMIT.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO counter VALUES (1, 0);
-- serval: range counter.n 0..3 wrap
