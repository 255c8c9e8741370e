-- A row is replaced by DELETE and INSERT: who waits for it finds no row, though one was there at every moment.
-- serval: expect read committed not-serializable
-- serval: expect repeatable read serializable
-- serval: expect serializable unknown
CREATE TABLE settings (id int PRIMARY KEY, value int NOT NULL);
INSERT INTO settings VALUES (1, 0);
-- serval: range settings.value 0..1 wrap
-- serval: range settings.id 1..1
