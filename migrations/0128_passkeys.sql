-- Passkeys of people, and the challenges that their authenticators sign. New tables only.

-- migrate:up
CREATE TABLE passkeys (
  id text COLLATE "C" PRIMARY KEY,
  person_id text COLLATE "C" NOT NULL REFERENCES people ON DELETE CASCADE,
  credential_id bytea NOT NULL UNIQUE, -- the authenticator's name for it
  public_key bytea NOT NULL, -- COSE
  counter bigint NOT NULL, -- of the last use; 0: the authenticator counts nothing
  name text NOT NULL, -- the person's
  created_at timestamptz(3) NOT NULL,
  used_at timestamptz(3) NOT NULL
);
CREATE INDEX passkeys_of_person ON passkeys (person_id);
CREATE TABLE passkey_challenges (
  challenge_hash bytea PRIMARY KEY, -- SHA-256; deleted when it is used
  ceremony text NOT NULL CHECK (ceremony IN ('sign-in', 'prove', 'register', 'join')),
  person_id text COLLATE "C", -- whom it is for, who may be still to come; null: whoever signs in
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- migrate:down
DROP TABLE passkey_challenges, passkeys;
