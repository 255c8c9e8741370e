-- Money moves between accounts in two statements; who sums up in one statement sees the whole.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
INSERT INTO accounts VALUES (1, 1), (2, 1);
-- serval: range accounts.balance 0..2 wrap
