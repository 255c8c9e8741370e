BEGIN;
SELECT id FROM outbox WHERE id = :message AND NOT sent FOR UPDATE SKIP LOCKED;
\if :ROW_COUNT > 0
UPDATE outbox SET sent = true WHERE id = :message;
\endif
COMMIT;
