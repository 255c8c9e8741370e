-- A flight is overbooked by none who locks its row first: at READ COMMITTED the count is behind the lock, at REPEATABLE READ the snapshot
-- is older.
-- serval: expect read committed serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE flights (id int PRIMARY KEY, places int NOT NULL);
CREATE TABLE seats (id int PRIMARY KEY, taken boolean NOT NULL);
INSERT INTO flights VALUES (1, 1);
INSERT INTO seats VALUES (1, false), (2, false);
