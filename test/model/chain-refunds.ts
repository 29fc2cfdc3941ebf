import { expect } from 'chai';
import type { CoinId } from '../../src/domain/chain/coins.ts';
import { forAll } from '../support/for-all.ts';
import type { LiveMerchant } from '../support/merchant-refunds.ts';
import { finish, read, unitsOf, type Script, type Stand } from './chain-stand.ts';

/** A refund that its merchant pays, as the model knows it. */
export interface ModelRefund {
  readonly id: string;
  readonly payment_id: string;
  readonly merchant: LiveMerchant;
  readonly coin: CoinId;
  readonly units: bigint;
  readonly address: string;
  status: 'AWAITING_SIGNATURE' | 'SENT' | 'HELD' | 'COMPLETED';
  readonly fate: 'waits' | 'paid' | 'lost';
  readonly isAnnounced: boolean;
  /** The same of another merchant, who pays nothing: one transaction fits both. */
  twin: ModelRefund | null;
  /** What pays it; null: nothing yet. */
  transaction: string | null;
}

type Asking = readonly [script: Script, address: string];

/**
 * Plays the refunds of some settled payments, and expects the states of the model each time that something
 * has become of them: they wait for a signature, are sent, mined, reorganised away, held where one
 * transaction fits those of two merchants, and complete. Returns them.
 */
export async function playRefunds(stand: Stand, scripts: readonly Script[]): Promise<ModelRefund[]> {
  const { node, real } = stand;
  const refunds = await accept(stand, scripts);
  const agree = (when: string) => expectStates(stand, refunds, when);
  await agree('accepted');
  await forAll(refunds, (one) => pay(stand, one));
  await agree('in the pool');
  await node.mine(1);
  await read(real);
  const mined = refunds.filter(({ transaction }) => transaction !== null);
  for (const one of mined) if (one.twin === null) one.status = 'SENT';
  await agree('mined');
  const idsOf = (some: readonly ModelRefund[]) => some.flatMap(({ transaction }) => transaction ?? []);
  const lost = mined.filter(({ fate }) => fate === 'lost');
  await node.reorganise(1, idsOf(mined.filter(({ fate }) => fate !== 'lost')), idsOf(lost));
  await judge(stand, lost);
  // What the watcher found waits no longer; a merchant's word stands until another transaction is final.
  for (const one of lost) if (!one.isAnnounced) one.status = 'AWAITING_SIGNATURE';
  await agree('reorganised');
  await finish(stand);
  await judge(stand, lost);
  for (const one of mined) {
    if (one.fate === 'lost') one.status = 'AWAITING_SIGNATURE';
    if (one.fate === 'paid') one.status = one.twin === null ? 'COMPLETED' : 'HELD';
    if (one.twin !== null) one.twin.status = 'HELD';
  }
  await agree('final');
  const held = mined.filter(({ twin }) => twin !== null);
  await forAll(held, (one) => announce(stand, one));
  await node.mine(1);
  await read(real);
  // The other one stays with a person: its merchant may have sent the same.
  for (const one of held) one.status = 'COMPLETED';
  await agree('announced by one of two');
  return refunds;
}

/** A few are judged with each poll. */
async function judge({ real }: Stand, some: readonly ModelRefund[]): Promise<void> {
  for (let left = some.length; left >= 0; left -= 5) await read(real);
}

/** Asks for the refunds of some payments; where two merchants ask for the same, only the first one pays. */
async function accept(stand: Stand, scripts: readonly Script[]): Promise<ModelRefund[]> {
  const asking = scripts.filter(({ sent, random }) => sent.length > 0 && random.chance(0.2));
  const others = asking.filter(({ merchant }) => merchant !== stand.merchant);
  const own = asking.filter(({ merchant }) => merchant === stand.merchant);
  const pairs = own.map((script, i): Asking[] => {
    const address = stand.node.address();
    const other = others[i];
    return other === undefined
      ? [[script, address]]
      : [
          [script, address],
          [other, address],
        ];
  });
  const asked = await forAll(pairs, async (pair) => {
    const refunds: (ModelRefund | null)[] = [];
    for (const one of pair) refunds.push(await ask(stand, one));
    const [first, second] = refunds;
    const isSame = first && second && first.coin === second.coin && first.units === second.units;
    if (!isSame) return refunds;
    return [{ ...first, fate: 'paid' as const, isAnnounced: false, twin: second }, second];
  });
  return asked.flat().flatMap((one) => one ?? []);
}

async function ask(stand: Stand, [script, address]: Asking): Promise<ModelRefund | null> {
  const { node, real, refunds } = stand;
  const { payment, merchant, random } = script;
  const fate = random.of(['waits', 'paid', 'paid', 'lost'] as const);
  const isAnnounced = random.chance(0.5);
  if ((await real.statusOf(payment)) !== 'SETTLED') return null;
  const asked = await refunds.ask(merchant, payment, { amount: node.refunded, address }).catch(() => null);
  if (asked?.coin_amount === undefined) return null;
  const coin = asked.coin as CoinId;
  const money = { coin, units: unitsOf(asked.coin_amount, coin), address: asked.address ?? '' };
  const state = { status: 'AWAITING_SIGNATURE', fate, isAnnounced, twin: null, transaction: null } as const;
  // Only one of two that are the same is paid: the second one waits.
  const own = merchant === stand.merchant ? state : { ...state, fate: 'waits' as const };
  return { id: asked.id, payment_id: payment, merchant, ...money, ...own };
}

async function pay(stand: Stand, refund: ModelRefund): Promise<void> {
  const { coin, units, address, fate, isAnnounced } = refund;
  if (fate === 'waits') return;
  refund.transaction = await stand.node.send(address, coin, units);
  if (isAnnounced) await announce(stand, refund);
}

async function announce({ refunds }: Stand, refund: ModelRefund): Promise<void> {
  const { merchant, transaction } = refund;
  await refunds.announce(merchant, refund, transaction ?? '');
  refund.status = 'SENT';
}

async function expectStates(
  { harness }: Stand,
  refunds: readonly ModelRefund[],
  when: string,
): Promise<void> {
  const ids = refunds.map(({ id }) => id);
  const rows: { id: string; status: string }[] = await harness.ctx
    .db('refunds')
    .whereIn('id', ids)
    .select('id', 'status');
  const described = (some: readonly { id: string; status: string }[]) =>
    some.map(({ id, status }) => `${id} ${status}`).toSorted();
  expect(described(rows), when).to.deep.equal(described(refunds));
}
