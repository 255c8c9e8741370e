INSERT INTO bookings VALUES (:seat, :person);
