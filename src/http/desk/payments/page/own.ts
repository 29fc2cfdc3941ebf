import {
  isRefunded,
  isSettled,
  isUnderWay,
  type Status,
} from '../../../../domain/payments/lifecycle/states.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import type { AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import type { Sandbox } from '../../../../domain/sandbox/test-clock/sandbox.ts';
import type { AtMerchant } from '../../shell/route.ts';

/** The list of a merchant's payments. */
export const paymentsPath = ({ merchant }: AtMerchant): string =>
  `/dashboard/${merchant.merchant_id}/payments`;

/** The payment that a path is about. */
export const paymentIdOf = ({ params }: AtMerchant): string => params.payment ?? '';

/** Its page. */
export const paymentPath = (visit: AtMerchant): string => `${paymentsPath(visit)}/${paymentIdOf(visit)}`;

/** What the pages of payments depend on besides the database. */
export interface PaymentDependencies {
  readonly adapters: AdaptersByMode;
  /** Null: the sandbox is off. */
  readonly sandbox: Sandbox | null;
}

/** A status, by the API's word for it; its colour only repeats what it says. */
export function statusBadge(status: Status): Html {
  const tone = isSettled(status) ? 'good' : isUnderWay(status) || isRefunded(status) ? '' : 'care';
  return html`<span class="badge ${tone}">${status}</span>`;
}
