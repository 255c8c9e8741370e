BEGIN;
SELECT n AS seen FROM counter WHERE id = 1 \gset
UPDATE counter SET n = :seen + 1 WHERE id = 1;
COMMIT;
