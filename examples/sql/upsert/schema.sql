-- A counter for each key that comes to be when it is first counted.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE hits (page int PRIMARY KEY, n int NOT NULL);
-- serval: range hits.page 1..1
-- serval: range hits.n 0..3 wrap
