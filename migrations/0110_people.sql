-- People who sign in to the desk, with what they may do there. New tables only.

-- migrate:up
CREATE TABLE people (
  id text COLLATE "C" PRIMARY KEY,
  email text NOT NULL,
  email_folded text COLLATE "C" NOT NULL UNIQUE, -- the same for each way to write it
  password_hash text, -- argon2id; null: no password signs in
  created_at timestamptz(3) NOT NULL
);
CREATE TABLE memberships (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'read-only')),
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (merchant_id, person_id)
);
CREATE INDEX memberships_of_person ON memberships (person_id);
CREATE TABLE invitations (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE, -- SHA-256
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'developer', 'support', 'read-only')),
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX invitations_of_merchant ON invitations (merchant_id, id);

CREATE TABLE totp_factors (
  person_id text COLLATE "C" PRIMARY KEY REFERENCES people ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  key_id text NOT NULL, -- of the key of SECRETS_KEY that encrypts the secret
  ciphertext bytea NOT NULL,
  last_step bigint NOT NULL -- of the code that was used last: none is used twice
);
CREATE TABLE recovery_codes (
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  code_hash bytea NOT NULL, -- SHA-256; deleted when it is used
  PRIMARY KEY (person_id, code_hash)
);

CREATE TABLE person_sessions (
  id text COLLATE "C" PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE, -- SHA-256
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  factor_at timestamptz(3), -- when the second factor was proven last; null: not yet
  address text NOT NULL,
  agent text NOT NULL, -- User-Agent
  is_link boolean NOT NULL DEFAULT false -- a link that becomes a session when it is used
);
CREATE INDEX person_sessions_of_person ON person_sessions (person_id);
CREATE TABLE known_devices (
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  device_hash bytea NOT NULL, -- SHA-256 of its cookie
  created_at timestamptz(3) NOT NULL,
  seen_at timestamptz(3) NOT NULL,
  address text NOT NULL, -- from where it came first
  agent text NOT NULL, -- User-Agent
  PRIMARY KEY (person_id, device_hash)
);
-- Guesses that are left, by a digest of whose they are: a slot is shared by chance, so that guessed names add no rows.
CREATE TABLE sign_in_buckets (
  slot integer PRIMARY KEY,
  tokens real NOT NULL,
  at timestamptz(3) NOT NULL
);

-- migrate:down
DROP TABLE sign_in_buckets, known_devices, person_sessions, recovery_codes, totp_factors, invitations, memberships, people;
