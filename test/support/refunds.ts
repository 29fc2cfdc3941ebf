import {
  setRefundAddressByToken,
  type AddressForm,
} from '../../src/domain/checkout/actions/set-refund-address.ts';
import { toConfirm } from '../../src/domain/checkout/components/refund.ts';
import { viewOf } from '../../src/domain/checkout/view/view.ts';
import type { AdaptersByMode } from '../../src/domain/payments/lifecycle/ports.ts';
import type { Context } from '../../src/platform/context.ts';
import type { CheckoutRefund } from '../../src/sdk/event-types.ts';

/** A refund of `amount` USDC on Ethereum, as an event reports it. */
export function sentBack(amount: string): CheckoutRefund {
  return {
    id: 'ref_1',
    amount,
    currency: 'USDC',
    reason: null,
    coin: 'USDC',
    network: 'ethereum',
    coinAmount: amount,
    address: '0x52908400098527886E0F7030069857D2E4169EE7',
    txHash: '0x1',
  };
}

/** A row of 2 USDC on Ethereum that go back from what is held. */
export const refundRow = <Own extends object>(paymentId: string, createdAt: Date, own: Own) => ({
  id: `ref_${paymentId.slice(4)}`,
  payment_id: paymentId,
  amount: '2',
  currency: 'USDC',
  source: 'held',
  coin: 'USDC',
  network: 'ethereum',
  coin_amount: '2',
  created_at: createdAt,
  ...own,
});

/** The fields of a refund in the API, in their order (contract, "Money"). */
export const REFUND_FIELDS = [
  'id',
  'payment_id',
  'amount',
  'currency',
  'status',
  'created_at',
  'coin',
  'network',
  'coin_amount',
  'address',
  'tx_hash',
  'reason',
] as const;

/** Enters an address for refunds as the page's two steps do; returns what came of the last of them. */
export async function giveRefundAddress(
  ctx: Context,
  adapters: AdaptersByMode,
  token: string,
  address: string,
): ReturnType<typeof setRefundAddressByToken> {
  const give = (form: AddressForm) => setRefundAddressByToken(ctx, adapters, token, form);
  const first = await give({ address });
  if (typeof first === 'string' || first.entered.step !== 'confirm') return first;
  return give({ address, confirmed: toConfirm(viewOf(first.payment, ctx.now())) });
}
