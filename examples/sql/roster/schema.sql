-- The roster is read in two statements: at READ COMMITTED they can see different moments.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE doctors (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, true), (2, false);
