import type { Rates } from '../../src/domain/chain/rates/rates.ts';
import { simulatedAddresses } from '../../src/domain/chain/simulator/simulated.ts';
import { lockPayments } from '../../src/domain/payments/lifecycle/store.ts';
import { selectPaymentMethod } from '../../src/domain/payments/pricing/select-method.ts';
import { readTransfers } from '../../src/domain/payments/transfers/store.ts';
import type { Harness } from './harness.ts';
import { pricesAt } from './market.ts';

/** Selects a coin as the checkout page does, at these rates. */
export function selectMethodAt({ ctx }: Harness, id: string, coin: 'BTC' | 'ETH' | 'USDC', rates: Rates) {
  return ctx.db.transaction(async (tx) => {
    const [payment] = await lockPayments(tx, [id]);
    if (payment === undefined) throw new Error('the payment does not exist');
    const network = coin === 'BTC' ? 'bitcoin' : 'ethereum';
    const offer = {
      coin,
      network,
      addresses: simulatedAddresses,
      prices: pricesAt(rates, ctx.now()),
    } as const;
    const transfers = await readTransfers(tx, [id]);
    return selectPaymentMethod(tx, { payment, transfers }, offer, ctx.now());
  });
}
