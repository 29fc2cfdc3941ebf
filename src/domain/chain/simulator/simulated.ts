import type { Db } from '../../../platform/postgres/db.ts';
import { depositAddress } from '../addresses.ts';
import { CURRENCIES, CURRENCY_IDS } from '../currencies.ts';
import type { ChainOf, Payouts } from '../port.ts';
import type { CurrencySource } from '../rates/rates.ts';
import type { TestChain } from '../test-chain.ts';
import type { NetworkId } from '../networks.ts';
import type { AddressBook, Deposit } from '../wallets/address-book.ts';
import { payoutHash } from '../transaction-hashes.ts';
import { createSimulator } from './simulator.ts';

/** Every process must derive the same addresses. The seed is no secret: no real money reaches them. */
const SEED = 'payment checkout simulator';

const shared = new WeakMap<Db, TestChain>();

/** Returns the simulated chain of a context; the shared one is created once per connection pool. */
export const simulatedChain: ChainOf<TestChain> = ({ db, config, testClock }) => {
  const options = { db, blockSeconds: config.blockSeconds, seed: SEED };
  if (testClock !== null) return createSimulator({ ...options, testClock: testClock.id });
  const known = shared.get(db);
  if (known !== undefined) return known;
  const simulator = createSimulator(options);
  shared.set(db, simulator);
  return simulator;
};

export const simulatedAddresses = {
  derive: (network: NetworkId, { id }: Deposit) => depositAddress(SEED, network, id),
} satisfies AddressBook;

/** Fixed, as the prices of coins are until a merchant moves them. */
export const simulatedCurrencies: CurrencySource = (_connection, now) =>
  Promise.resolve(
    new Map(
      CURRENCY_IDS.map((id) => [id, { usd: CURRENCIES[id].simulatedRate, sources: ['simulator'], at: now }]),
    ),
  );

/**
 * Pays out at once. The hash depends on the reference alone, so a payout that is sent twice is the same
 * payout.
 */
export const simulatedPayouts: Payouts = {
  request: ({ network, reference }) => Promise.resolve({ txHash: payoutHash(network, reference) }),
};
