SELECT person FROM bookings WHERE seat = 1;
