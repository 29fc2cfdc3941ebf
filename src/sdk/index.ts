export { EVENT_TYPES } from './event-types.ts';
export type {
  CheckoutException,
  CheckoutPolicy,
  CheckoutRefund,
  CheckoutStatus,
  EventEnvelope,
  EventType,
  WebhookEvent,
} from './event-types.ts';
export { webhookSecrets } from './secrets.ts';
export { signWebhook, type SignWebhookOptions, type WebhookHeaders } from './sign.ts';
export {
  REFUSAL_REASONS,
  verifyWebhook,
  type RefusalReason,
  type VerifyWebhookOptions,
  type VerifyWebhookResult,
} from './verify.ts';
export { verifyThinWebhook, type ThinEvent, type VerifyThinWebhookResult } from './thin.ts';
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
