-- How a merchant appears on their customers' pages, and what they decide about them. A new table: the previous
-- release, which serves beside this one for a while, shows its pages without it.

-- migrate:up
CREATE TABLE merchant_faces (
  merchant_id text COLLATE "C" PRIMARY KEY REFERENCES merchants (id),
  name text, -- null: the merchant's own
  support_url text, -- https or mailto
  accent_color text, -- #rrggbb
  display_currency text, -- ISO 4217
  methods jsonb, -- [{coin, network}], in their order; null: all that are served
  embed_origins text[] NOT NULL DEFAULT '{}', -- pages of these may show the checkout in a frame
  logo bytea, -- as this service has encoded it
  logo_id text, -- changes with the logo
  logo_width integer,
  logo_height integer,
  updated_at timestamptz(3) NOT NULL
);

-- Who could say where events go can say how the page looks.
UPDATE api_keys SET permissions = array_append(permissions, 'checkout:write')
WHERE 'webhooks:write' = ANY (permissions) AND NOT 'checkout:write' = ANY (permissions);

-- migrate:down
UPDATE api_keys SET permissions = array_remove(permissions, 'checkout:write');
DROP TABLE merchant_faces;
