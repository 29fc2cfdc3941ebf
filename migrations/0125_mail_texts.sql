-- What merchants write in the place of the standard texts of the mails to their customers. New table only; the previous release
-- sends the standard texts.

-- migrate:up
CREATE TABLE mail_texts (
  merchant_id text COLLATE "C" NOT NULL REFERENCES merchants ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL, -- of mail: paid, refunded, ...
  language text COLLATE "C" NOT NULL, -- of its reader
  subject text CHECK (char_length(subject) <= 100), -- null: the standard subject
  text text CHECK (char_length(text) <= 600), -- null: the standard text
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (merchant_id, kind, language)
);

-- migrate:down
DROP TABLE mail_texts;
