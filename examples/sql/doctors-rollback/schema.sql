-- Who is asked for the roster reads it in one statement; who leaves does so if another stays, and else rolls back.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE doctors (id int PRIMARY KEY, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, true), (2, true);
