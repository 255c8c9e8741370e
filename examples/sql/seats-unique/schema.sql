-- The key of the bookings is the seat: the second INSERT ends in 23505, as in any order.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable unknown
CREATE TABLE bookings (seat int PRIMARY KEY, person int NOT NULL);
-- serval: range bookings.seat 1..1
-- serval: range bookings.person 1..2
