-- Reading signing secrets needs a permission of its own. Keys that could read them so far still can.

-- migrate:up
UPDATE api_keys SET permissions = array_append(permissions, 'webhooks:secrets')
WHERE 'webhooks:read' = ANY (permissions) AND NOT 'webhooks:secrets' = ANY (permissions);

-- migrate:down
UPDATE api_keys SET permissions = array_remove(permissions, 'webhooks:secrets');
