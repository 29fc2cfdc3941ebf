import type { TSchema } from 'typebox';
import { Appearance, AppearanceBody } from '../../domain/checkout/appearance/schemas.ts';
import {
  EventFeed,
  EventResource,
  PaymentEvents,
  Redeliveries,
  Redelivery,
} from '../../domain/events/schemas.ts';
import { StatusReport } from '../../domain/ops/health/schemas.ts';
import { Policy, PolicyChoice } from '../../domain/payments/lifecycle/policy.ts';
import * as refunds from '../../domain/payments/refunds/schemas.ts';
import { Price } from '../../domain/payments/pricing/price.ts';
import { CreateLinkBody, LinkList, LinkResource, UpdateLinkBody } from '../../domain/links/schemas.ts';
import { CreatePaymentBody, PaymentList, PaymentResource } from '../../domain/payments/schemas.ts';
import * as customer from '../../domain/sandbox/customer/schemas.ts';
import { Scenario, ScenarioBody } from '../../domain/sandbox/scenarios/schemas.ts';
import * as testClock from '../../domain/sandbox/test-clock/schemas.ts';
import * as deliveries from '../../domain/webhooks/deliveries/schemas.ts';
import { WalletList, WalletResource } from '../../domain/wallets/schemas.ts';
import * as endpoints from '../../domain/webhooks/endpoint-list/schemas.ts';
import * as settings from '../../domain/webhooks/endpoints/schemas.ts';
import * as receivers from '../../domain/webhooks/receiver-check/schemas.ts';
import { RotateSecretBody, WebhookSecrets } from '../../domain/webhooks/secrets/schemas.ts';
import { EndpointSettings } from '../../domain/webhooks/registrations/schemas.ts';
import { Jwks, RotateSigningKeyBody, SigningKeys } from '../../domain/webhooks/signing-keys/schemas.ts';
import { CursorPagination } from '../../domain/api/schemas.ts';

/** Names of schemas under `components`, from which generators make the names of their types. */
export const SCHEMA_NAMES: Readonly<Record<string, TSchema>> = {
  StatusReport,
  Payment: PaymentResource,
  PaymentList,
  CreatePaymentRequest: CreatePaymentBody,
  Policy,
  PolicyChoice,
  Price,
  Link: LinkResource,
  LinkList,
  CreateLinkRequest: CreateLinkBody,
  UpdateLinkRequest: UpdateLinkBody,
  Refund: refunds.RefundResource,
  RefundList: refunds.RefundList,
  RefundAddress: refunds.RefundAddress,
  RefundRequest: refunds.RefundBody,
  RefundProblem: refunds.RefundProblem,
  UnsignedRequest: refunds.UnsignedRequest,
  BitcoinRequest: refunds.BitcoinRequest,
  RequestProblem: refunds.RequestProblem,
  AnnounceRequest: refunds.AnnounceBody,
  Event: EventResource,
  EventFeed,
  PaymentEvents,
  Redelivery,
  Redeliveries,
  CursorPagination,
  Delivery: deliveries.Delivery,
  DeliveryAttempt: deliveries.Attempt,
  DeliveryWithAttempts: deliveries.DeliveryWithAttempts,
  DeliveryList: deliveries.DeliveryList,
  RedeliverOneRequest: deliveries.RedeliverOneBody,
  RedeliverRequest: deliveries.RedeliverBody,
  RedeliverReport: deliveries.RedeliverReport,
  WebhookConfig: settings.WebhookConfig,
  WebhookConfigRequest: settings.WebhookConfigBody,
  WebhookConfigAndHealth: settings.WebhookConfigAndHealth,
  EndpointHealth: settings.EndpointHealth,
  WebhookEndpoint: endpoints.WebhookEndpoint,
  WebhookEndpointList: endpoints.WebhookEndpointList,
  EnableEndpointRequest: endpoints.EnableEndpointBody,
  EndpointSettings,
  SigningKeys,
  RotateSigningKeyRequest: RotateSigningKeyBody,
  Jwks,
  WebhookSecrets,
  RotateSecretRequest: RotateSecretBody,
  TestEventRequest: receivers.TestEventBody,
  TestEventReport: receivers.TestEventReport,
  ReceiverCheckRequest: receivers.ReceiverCheckBody,
  ReceiverCheck: receivers.ReceiverCheck,
  ReceiverCheckCase: receivers.CaseReport,
  Wallet: WalletResource,
  WalletList,
  Appearance,
  AppearanceRequest: AppearanceBody,
  SendTransferRequest: customer.SendTransferBody,
  SentTransfer: customer.TransferResource,
  ReplaceTransferRequest: customer.ReplaceTransferBody,
  ReplacedTransfer: customer.ReplacedTransfer,
  SandboxRatesRequest: customer.RatesBody,
  SandboxRates: customer.RatesResource,
  AdvanceRequest: testClock.AdvanceBody,
  AdvanceResult: testClock.AdvanceResult,
  SimulatedAttempt: testClock.DeliveryAttempt,
  ScenarioRequest: ScenarioBody,
  Scenario,
};
