-- An advisory lock protects at READ COMMITTED; at REPEATABLE READ the statement that waits for it has its snapshot.
-- serval: expect read committed serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE doctors (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, true), (2, true);
