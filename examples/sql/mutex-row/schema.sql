-- A row that is locked before anything is read protects at READ COMMITTED. At REPEATABLE READ the snapshot is older than the lock.
-- serval: expect read committed serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE mutex (id int PRIMARY KEY);
INSERT INTO mutex VALUES (1);
CREATE TABLE doctors (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, true), (2, true);
