import fc from 'fast-check';
import type { Script } from './check.ts';
import type { Coin, Method, Network } from './coins.ts';
import type { Action, Share, Terms } from './terms.ts';

const terms: fc.Arbitrary<Terms> = fc.record({
  price: fc.constantFrom('10.00', '25', '0.01', '19.123456789'),
  minutes: fc.constantFrom(60, 5, 1440),
  settlement: fc.constantFrom('simulated', 'par'),
  policy: fc.record({
    underpaid: fc.constantFrom('wait', 'accept'),
    underpaid_tolerance_percent: fc.constantFrom(0, 5, 50, 100),
    late: fc.constantFrom('honour', 'refund'),
    overpaid: fc.constantFrom('keep', 'refund_excess'),
  }),
});

const method: fc.Arbitrary<Method> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('USDC ethereum') },
  { weight: 4, arbitrary: fc.constant('ETH ethereum') },
  { weight: 2, arbitrary: fc.constant('USDT tron') },
  { weight: 1, arbitrary: fc.constantFrom('USDC polygon', 'BTC bitcoin') },
);
const network = fc.constantFrom<Network>('ethereum', 'ethereum', 'tron', 'polygon', 'bitcoin');
const share = fc.constantFrom<Share>('asked', 'asked', 'unit', 100, 40, 60, 50, 95, 94, 120);

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constant('transfer' as const),
      method,
      share,
      direct: fc.constantFrom(false, false, true),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'wait' }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('choose' as const), method }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('market' as const),
      coin: fc.constantFrom<Coin>('ETH', 'ETH', 'USDT', 'BTC'),
      percent: fc.constantFrom(100, 50, 98, 101, 110, 300),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('replace' as const), which: fc.nat(5), speedUp: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.constantFrom(1, 3, 12, 1000) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('mine' as const), blocks: fc.constantFrom(1, 11, 20) }),
  },
  { weight: 1, arbitrary: fc.constant<Action>({ do: 'fail_conversion' }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      percent: fc.constantFrom(null, null, null, 25, 100),
      to: fc.option(network, { freq: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant<Action>({ do: 'give_address' }) },
);

/**
 * Seconds before a step: at once, within the confirmations, around the deadlines, around the end of the late
 * window.
 */
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.nat(200) },
  { weight: 2, arbitrary: fc.integer({ min: 200, max: 4000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 4000, max: 100_000 }) },
);
const step = fc.record({ after: pause, action });

/** Most bugs need few steps; one script in ten is long. */
export const script: fc.Arbitrary<Script> = fc.record({
  terms,
  steps: fc.oneof(
    { weight: 9, arbitrary: fc.array(step, { minLength: 1, maxLength: 8, size: 'max' }) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 9, maxLength: 40, size: 'max' }) },
  ),
});
