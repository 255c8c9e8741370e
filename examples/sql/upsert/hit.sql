INSERT INTO hits VALUES (:page, 1) ON CONFLICT (page) DO UPDATE SET n = hits.n + 1 RETURNING n;
