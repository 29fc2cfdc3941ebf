export { EVENT_TYPES } from '../event-types.ts';
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
} from '../event-types.ts';
export type { RawBody } from '../codec.ts';
export {
  REFUSAL_REASONS,
  type RefusalReason,
  type VerifyWebhookOptions,
  type VerifyWebhookResult,
} from '../received.ts';
export type { ReceivedHeaders } from '../received-headers.ts';
export { webhookSecrets } from '../secrets.ts';
export type { ThinEvent, VerifyThinWebhookResult } from '../thin.ts';
export { verifyThinWebhook, verifyWebhook } from './verify.ts';
