import type { Db } from '../../../platform/postgres/db.ts';
import { depositAddress } from '../addresses.ts';
import { CURRENCIES, CURRENCY_IDS, type CurrencyId } from '../currencies.ts';
import type { ChainOf, Payouts } from '../port.ts';
import type { DisplayRateSource } from '../rates/rates.ts';
import type { TestChain } from '../test-chain.ts';
import type { NetworkId } from '../networks.ts';
import type { AddressBook, Deposit } from '../wallets/address-book.ts';
import { payoutHash } from '../transaction-hashes.ts';
import { SIMULATED_RATES } from './market.ts';
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

const SIMULATED_CURRENCIES = Object.fromEntries(
  CURRENCY_IDS.map((currency) => [currency, CURRENCIES[currency].simulatedRate]),
) as Record<CurrencyId, string>;

export const simulatedDisplayRates: DisplayRateSource = () =>
  Promise.resolve({ coins: SIMULATED_RATES, currencies: SIMULATED_CURRENCIES });

/**
 * Pays out at once. The hash depends on the reference alone, so a payout that is sent twice is the same
 * payout.
 */
export const simulatedPayouts: Payouts = {
  request: ({ network, reference }) => Promise.resolve({ txHash: payoutHash(network, reference) }),
};
