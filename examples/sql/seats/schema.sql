-- A seat is booked by who finds it free. Nothing keeps two from booking it.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable assumed
CREATE TABLE seats (id int PRIMARY KEY, taken_by int NOT NULL DEFAULT 0);
INSERT INTO seats VALUES (1, 0);
-- serval: range seats.taken_by 0..2
