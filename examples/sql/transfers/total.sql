SELECT sum(balance) AS total FROM accounts;
