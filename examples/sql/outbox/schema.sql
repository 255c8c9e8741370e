-- Workers send a message each: SKIP LOCKED leaves one alone that another is sending. The model has it at READ COMMITTED only.
-- serval: expect read committed serializable
-- serval: expect repeatable read error
-- serval: expect serializable error
CREATE TABLE outbox (id int PRIMARY KEY, sent boolean NOT NULL);
INSERT INTO outbox VALUES (1, false), (2, false);
