SELECT c_balance FROM customer WHERE c_id = :c;
