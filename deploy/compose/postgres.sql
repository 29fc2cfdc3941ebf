-- Runs once, by psql as the superuser, when the volume of Postgres is new. The service's role is no superuser: it owns its
-- database, and creates its tables there.
\set password `cat /run/secrets/postgres_password`
CREATE ROLE checkout LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE checkout OWNER checkout;
REVOKE ALL ON DATABASE checkout FROM PUBLIC;
-- So that the service can name the session of another role whose open transaction holds the event feed back.
GRANT pg_read_all_stats TO checkout;
