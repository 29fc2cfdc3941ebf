import { expect } from 'chai';
import { unitsOf, useEvmStand } from '../support/evm-stand.ts';
import { RawAnswerInstead, startLyingProxy, type LyingProxy } from '../support/lying-proxy.ts';
import { reset } from '../support/receivers.ts';
import { until } from '../support/until.ts';
import { createLiveStand, type LiveStand, type Ordered } from './live-stand.ts';

const MINUTE_MS = 60_000;
/** The chain's blocks are of the last hours: what happens while nobody reads it takes no time here. */
const START = new Date(Math.floor(Date.now() / 1_000) * 1_000);
const minutesAgo = (minutes: number) => new Date(START.getTime() - minutes * MINUTE_MS);

describe('a provider that is away for more than an hour', function () {
  this.timeout(120_000);
  const node = useEvmStand(minutesAgo(180));
  let stand: LiveStand;
  let proxy: LyingProxy;
  beforeEach(async () => {
    [stand, proxy] = await Promise.all([createLiveStand(), startLyingProxy(node().anvil)]);
  });
  afterEach(async () => {
    await Promise.all([stand.close(), proxy.close()]);
  });

  /** Mines a block so long ago. */
  const mineAt = async (ago: number) => {
    await node().rpc('evm_setNextBlockTimestamp', minutesAgo(ago).getTime() / 1_000);
    await node().mine();
  };
  const pay = ({ address }: Ordered, usdc: number) => node().pay('USDC', address, unitsOf('USDC', usdc));
  /** The payment was created an hour before its deadline. */
  const setDeadline = async ({ id }: Ordered, ago: number) => {
    const deadline = minutesAgo(ago);
    await stand
      .db('payments')
      .where({ id })
      .update({ created_at: minutesAgo(ago + 60), expires_at: deadline, deadline_at: deadline });
  };
  /** Makes a payment's expiry due now: it waits for up to a minute where its network is behind. */
  const expireNow = async (...orders: Ordered[]) => {
    const due = new Date();
    await stand
      .db('scheduled_jobs')
      .whereIn(
        'key',
        orders.map(({ id }) => id),
      )
      .where({ job: 'payment.expire' })
      .update({ run_at: due, visible_at: due });
    return due;
  };
  const told = ({ id }: Ordered) =>
    stand
      .events(id)
      .toSorted((a, b) => a.sequence - b.sequence)
      .map(({ type, data }) => `${type.slice(9)} ${data.checkout.status} ${data.checkout.exceptions.join()}`);

  it('lets nothing expire that was paid in time, counts nothing twice, and the rest expires behind it', async () => {
    await stand.startWatcher({ RPC_URLS_ETHEREUM: proxy.url });
    const order = () => stand.order('10');
    const [seen, away, late, part, unpaid] = [
      await order(),
      await order(),
      await order(),
      await order(),
      await order(),
    ];
    const all = [seen, away, late, part, unpaid];
    for (const one of all) await setDeadline(one, 60);
    await pay(seen, 10);
    await pay(part, 4);
    await mineAt(115);
    for (const { id } of [seen, part]) await stand.until(id, 'pending');

    proxy.lie = () => new RawAnswerInstead(reset);
    await pay(away, 10);
    await mineAt(65);
    await pay(late, 10);
    await mineAt(55);
    // More than are read one by one.
    await node().mine(50);
    await mineAt(1);
    await node().mine(13);
    const due = await expireNow(...all);
    await until('the worker has put every expiry off', async () => {
      const jobs = await stand
        .db('scheduled_jobs')
        .where({ job: 'payment.expire' })
        .whereIn(
          'key',
          [away, late, part, unpaid].map(({ id }) => id),
        )
        .where('run_at', '>', new Date(due.getTime() + 30_000));
      return jobs.length === 4;
    });
    expect(stand.receiver.requests.filter(({ rawBody }) => rawBody.includes('EXPIRED'))).to.deep.equal([]);

    proxy.lie = null;
    for (const { id } of [seen, away, late]) await stand.until(id, 'settled');
    // Audits that were planned by the deadlines of before: whichever is first, the audit wakes the expiry.
    await stand.db('balance_audits').update({ due_at: minutesAgo(60) });
    await expireNow(part, unpaid);
    for (const { id } of [part, unpaid]) await stand.until(id, 'failed');
    const paid = ['created WAITING ', 'pending PENDING ', 'processing PROCESSING ', 'settled SETTLED '];
    expect(told(seen)).to.deep.equal(paid);
    expect(told(away)).to.deep.equal(paid);
    expect(told(late)).to.deep.equal(paid.map((event, i) => (i === 0 ? event : `${event}late`)));
    expect(told(unpaid)).to.deep.equal(['created WAITING ', 'failed EXPIRED ']);
    expect(told(part)).to.deep.equal([
      'created WAITING ',
      'pending PENDING underpaid',
      'failed EXPIRED underpaid',
    ]);
    const received = await stand.rows<{ payment_id: string; amount: string }>(
      `SELECT payment_id, amount FROM ledger_entries WHERE kind = 'received' ORDER BY payment_id`,
    );
    const expected = [seen, away, late, part].map(({ id }) => ({
      payment_id: id,
      amount: id === part.id ? '4' : '10',
    }));
    expect(received).to.have.deep.members(expected);
  });
});
