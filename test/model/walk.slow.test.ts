import type { SettlementMode } from '../../src/sdk/event-types.ts';
import type { Policy } from '../../src/domain/payments/lifecycle/policy.ts';
import { walk } from './walk.ts';
import type { Slot } from './walk-state.ts';

/** Steps from each beginning; one more takes about three times as long. `npm run test:walk` takes 3. */
const DEPTH = Number(process.env.WALK_DEPTH ?? 2);

const POLICIES = (['honour', 'refund'] as const).flatMap((late) =>
  (['keep', 'refund_excess'] as const).flatMap((overpaid) =>
    (['wait', 'accept'] as const).map((underpaid): Policy => ({
      underpaid,
      underpaid_tolerance_percent: 50,
      late,
      overpaid,
    })),
  ),
);

/** Two parts of the price of 10, and more than it in ether; a speed-up may pay less. */
const IN_PARTS: readonly Slot[] = [
  { coin: 'USDC', amount: '4', replacement: '4' },
  { coin: 'USDC', amount: '6', replacement: '3' },
  { coin: 'ETH', amount: '0.004', replacement: '0.002' },
];
const TWICE: readonly Slot[] = [
  { coin: 'USDC', amount: '10', replacement: '10' },
  { coin: 'ETH', amount: '0.00333334', replacement: '0.00333334' },
];

const PAID = ['seen 0', 'confirmed 0'];
const UNMINED = ['seen 0', 'time passes', 'time passes', 'end holds'];
const EXPIRED = ['time passes', 'time passes', 'expire'];

/** Where a walk begins: every status, and what lies beyond the steps that are walked from the creation. */
const BEGINNINGS: readonly (readonly [what: string, slots: readonly Slot[], way: readonly string[]])[] = [
  ['created', IN_PARTS, []],
  ['created', TWICE, []],
  ['paid in parts', IN_PARTS, ['seen 0', 'seen 1', 'seen 2', 'confirmed 0']],
  ['overpaid while it is converted', TWICE, [...PAID, 'seen 1', 'settle']],
  ['paid, and never mined', TWICE, UNMINED],
  ['expired, and never mined', TWICE, [...UNMINED, 'expire']],
  ['settled', TWICE, [...PAID, 'settle', 'converted']],
  ['settled in parts', IN_PARTS, ['seen 0', 'seen 1', 'confirmed 0', 'confirmed 1', 'settle', 'converted']],
  ['settled in ether', TWICE, ['seen 1', 'confirmed 1', 'settle', 'converted']],
  [
    'settled in two coins',
    IN_PARTS,
    ['seen 0', 'seen 2', 'confirmed 0', 'confirmed 2', 'settle', 'converted'],
  ],
  ['failed', TWICE, [...PAID, 'seen 1', 'settle', 'refused']],
  ['refunded after settlement', TWICE, [...PAID, 'settle', 'converted', 'refund', 'send']],
  ['expired', TWICE, EXPIRED],
  ['expired with a part', IN_PARTS, ['seen 0', 'confirmed 0', ...EXPIRED]],
  ['evicted', TWICE, ['seen 0', 'evicted 0']],
  ['reverted', TWICE, ['seen 0', 'mined 0', 'reverted 0']],
  ['mined, and not final', TWICE, ['seen 0', 'mined 0', 'seen 1', 'mined 1']],
  ['refunded after the deadline', IN_PARTS, ['seen 0', 'confirmed 0', ...EXPIRED, 'refund', 'send']],
];

/** What live payments alone have: refunds that their merchants sign, or the signer. */
const SIGNED: typeof BEGINNINGS = [
  ['a refund that is sent', TWICE, [...PAID, 'settle', 'converted', 'refund', 'announce']],
  ['a refund that waits', IN_PARTS, ['seen 0', 'confirmed 0', ...EXPIRED, 'refund']],
  ['a refund that is held', IN_PARTS, ['seen 0', 'confirmed 0', ...EXPIRED, 'refund', 'reorganised 0']],
  [
    'a refund that the signer pays',
    IN_PARTS,
    ['seen 0', 'confirmed 0', ...EXPIRED, 'refund', 'offer', 'sign'],
  ],
  [
    'a refund that the signer holds',
    TWICE,
    [...PAID, 'settle', 'converted', 'refund', 'offer', 'hold payout'],
  ],
];

/** Sold for the settlement coin, or settled as it came, at par or not. Nobody can refuse that. */
const waysOf = (settlement: SettlementMode): typeof BEGINNINGS =>
  settlement === 'simulated'
    ? BEGINNINGS
    : [...BEGINNINGS.filter(([, , way]) => !way.includes('refused')), ...SIGNED].map(
        ([what, slots, way]) => [what, slots, way.map((step) => (step === 'send' ? 'paid' : step))] as const,
      );
const WALKS = (['simulated', 'par'] as const).flatMap((settlement) =>
  waysOf(settlement).map((beginning) => [settlement, ...beginning] as const),
);

describe('every state that a payment reaches', () => {
  for (const [settlement, what, slots, way] of WALKS)
    it(`has money that can be moved, and no status for ever: ${what}, paid ${slots.length} times (${settlement})`, function () {
      this.timeout(0);
      const startedAt = performance.now();
      const walks = POLICIES.map((policy) => walk({ policy, settlement }, slots, DEPTH, way));
      const total = (key: 'states' | 'transitions') => walks.reduce((sum, one) => sum + one[key], 0);
      const depth = way.length + Math.max(...walks.map((one) => one.depth));
      const seconds = (performance.now() - startedAt) / 1000;
      console.log(
        `      ${total('states')} states, ${total('transitions')} transitions, depth ${depth}` +
          `${walks.every(({ isComplete }) => isComplete) ? ', complete' : ''} (${seconds.toFixed(1)} s)`,
      );
    });
});
