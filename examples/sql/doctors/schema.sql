-- Two doctors are on call; each may leave if another stays. Both look, both leave: write skew at every level below SERIALIZABLE.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE doctors (id int PRIMARY KEY, name text, on_call boolean NOT NULL);
INSERT INTO doctors VALUES (1, 'Ada', true), (2, 'Bob', true);
