-- Whose device a browser's mark is, asked before anybody has signed in. What an interrupted build left behind is dropped first.

-- migrate:up transaction:false
DROP INDEX CONCURRENTLY IF EXISTS known_devices_by_hash;
CREATE INDEX CONCURRENTLY known_devices_by_hash ON known_devices (device_hash);

-- migrate:down
DROP INDEX CONCURRENTLY IF EXISTS known_devices_by_hash;
