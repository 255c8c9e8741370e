-- serval: repeat until :ok
-- serval: answer :seen
SELECT n AS seen FROM counter WHERE id = 1 \gset
UPDATE counter SET n = n + 1 WHERE id = 1 AND n = :seen;
\set ok :ROW_COUNT
