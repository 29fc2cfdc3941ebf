export { PaymentCheckout } from './client.ts';
export type { ClientOptions, PostOptions, RequestOptions } from './http/options.ts';
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PaymentCheckoutError,
  PermissionError,
  RateLimitError,
  ServerError,
  TimeoutError,
  ValidationError,
  type ApiErrorCode,
  type ErrorDetails,
} from './http/errors.ts';
export { UnreachableStatusError, WaitTimeoutError, type WaitOptions } from './resources/wait-for.ts';
export type { LogoType } from './resources/appearance.ts';
export type { CheckoutPrice, EventType, WebhookEvent } from '../event-types.ts';
export type * from './types/appearance.ts';
export type * from './types/deliveries.ts';
export type * from './types/endpoints.ts';
export type * from './types/events.ts';
export type * from './types/links.ts';
export type * from './types/payments.ts';
export type * from './types/refunds.ts';
export type * from './types/sandbox.ts';
export type * from './types/scenarios.ts';
export type * from './types/service.ts';
export type * from './types/wallets.ts';
export type * from './types/webhooks.ts';
