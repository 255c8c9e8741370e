-- A sqlc project: each query is an operation of its own, with parameters that are free.
-- serval: expect read committed serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable unknown
CREATE TABLE authors (id int PRIMARY KEY, books int NOT NULL DEFAULT 0);
-- serval: range authors.id 1..2
-- serval: range authors.books 0..1
