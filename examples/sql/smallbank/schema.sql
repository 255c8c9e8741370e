-- SmallBank (Alomari, Cahill, Fekete, Röhm, ICDE 2008): each customer has a checking and a savings account.
-- Two customers, money counted modulo 2: that is enough to tell all subsets of its five transactions apart.
--
-- serval: expect read committed not-serializable
-- serval: expect repeatable read not-serializable
-- serval: expect serializable assumed
CREATE TABLE checking (id int PRIMARY KEY, bal int NOT NULL);
CREATE TABLE savings  (id int PRIMARY KEY, bal int NOT NULL);
INSERT INTO checking VALUES (1, 1), (2, 1);
INSERT INTO savings  VALUES (1, 1), (2, 1);
-- serval: range checking.bal 0..1 wrap
-- serval: range savings.bal 0..1 wrap
