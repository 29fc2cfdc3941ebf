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
