-- The same with FOR UPDATE on those who would stay: the second waits for the first and counts again, or both wait
-- for each other and one is told to try again.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE doctors (id int PRIMARY KEY, name text, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, 'Ada', true), (2, 'Bob', true);
