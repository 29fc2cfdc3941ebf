export { EVENT_TYPES } from './event-types.ts';
export type {
  CheckoutException,
  CheckoutPolicy,
  CheckoutPrice,
  CheckoutRefund,
  CheckoutStatus,
  CheckoutTransfer,
  EventEnvelope,
  EventType,
  WebhookEvent,
} from './event-types.ts';
export type { RawBody } from './codec.ts';
export { webhookSecrets } from './secrets.ts';
export { signWebhook, type SignWebhookOptions, type WebhookHeaders } from './sign.ts';
export {
  REFUSAL_REASONS,
  type RefusalReason,
  type VerifyWebhookOptions,
  type VerifyWebhookResult,
} from './received.ts';
export { verifyThinWebhook, verifyWebhook } from './verify.ts';
export type { ThinEvent, VerifyThinWebhookResult } from './thin.ts';
export type { ReceivedHeaders } from './received-headers.ts';
export { handleOnce, type HandleOnceOptions } from './once/handle-once.ts';
export {
  HANDLED_EVENTS_TABLE,
  knexStore,
  pgStore,
  type EventStore,
  type KnexDb,
  type KnexTransaction,
  type LastHandled,
  type PgClient,
  type PgPool,
} from './once/stores.ts';
