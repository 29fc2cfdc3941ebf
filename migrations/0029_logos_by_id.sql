-- A logo is found by its id: a browser that asks for it names no merchant.

-- migrate:up
-- locks: nothing has written the table yet.
CREATE UNIQUE INDEX merchant_faces_logo ON merchant_faces (logo_id);

-- migrate:down
DROP INDEX merchant_faces_logo;
