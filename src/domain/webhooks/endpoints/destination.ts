// Where the events of an endpoint `o` of the merchant `m` go, and whether they do: a registered endpoint has
// its own settings, all others the merchant's.

/** SQL: joins the registration `r` of an endpoint `o`. */
export const REGISTRATION = `LEFT JOIN endpoint_registrations r ON r.id = o.registration_id`;

/**
 * SQL: whether the merchant has the endpoint enabled. A deleted one is: what is pending there fails, and does
 * not wait.
 */
export const IS_ON = `CASE WHEN o.registration_id IS NULL THEN m.webhooks_enabled
       ELSE coalesce(r.is_enabled OR r.deleted_at IS NOT NULL, true) END`;

/** SQL: whether the merchant has deleted the endpoint. */
export const IS_DELETED = `(o.registration_id IS NOT NULL AND (r.id IS NULL OR r.deleted_at IS NOT NULL))`;

/** SQL: the URL for an event `e`; `registered` is that of the registration, `own` the merchant's. */
export const URL_OF_EVENT = (registered = 'r.url', own = 'm.webhook_url') => `CASE
       WHEN o.registration_id IS NULL THEN coalesce(e.callback_url, ${own}) ELSE ${registered} END`;

/** SQL: the registration that the id of an endpoint names; null: none. */
export const REGISTRATION_IN = (endpointId: string) => `substring(${endpointId} FROM ' (whe_[0-9A-Z]{26})$')`;

/** SQL: the merchant, or the isolated payment, that the id of an endpoint begins with. */
export const OWNER_IN = (endpointId: string) => `split_part(${endpointId}, ' ', 1)`;
