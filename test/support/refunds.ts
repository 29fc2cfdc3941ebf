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
