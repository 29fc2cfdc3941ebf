-- Links with which people choose another password. New table only.

-- migrate:up
CREATE TABLE password_links (
  id text COLLATE "C" PRIMARY KEY,
  email_folded text COLLATE "C" NOT NULL, -- as it was asked for: nobody may have it
  token_hash bytea UNIQUE, -- SHA-256; null: not mailed yet
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX password_links_of_address ON password_links (email_folded);

-- migrate:down
DROP TABLE password_links;
