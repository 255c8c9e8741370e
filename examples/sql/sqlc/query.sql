-- name: GetAuthor :one
SELECT id, books FROM authors WHERE id = $1 LIMIT 1;

-- name: CreateAuthor :exec
INSERT INTO authors (id) VALUES ($1);

-- name: SetBooks :exec
UPDATE authors SET books = sqlc.arg(books) WHERE id = sqlc.arg(id);

-- name: DeleteAuthor :exec
DELETE FROM authors WHERE id = $1;
