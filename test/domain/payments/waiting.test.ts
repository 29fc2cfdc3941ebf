import { SIMULATED_RATES } from '../../../src/domain/chain/simulator/market.ts';
import { expect } from 'chai';
import { giveRefundAddress } from '../../support/refunds.ts';
import type { ChainTransfer, Payouts } from '../../../src/domain/chain/port.ts';
import type { CurrencyExchange } from '../../../src/domain/payments/lifecycle/ports.ts';
import { applyTransfers, lockConcerned } from '../../../src/domain/payments/sync/apply-transfers.ts';
import { sendRefunds } from '../../../src/domain/payments/refunds/send.ts';
import { settlePayments } from '../../../src/domain/payments/processing/settle.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { requeue } from '../../../src/domain/ops/requeue.ts';
import { releaseParked } from '../../../src/domain/ops/stuck.ts';
import { autopay } from '../../../src/domain/sandbox/customer/autopay.ts';
import { isolatePayment } from '../../../src/domain/sandbox/test-clock/isolate.ts';
import { STUCK_AFTER_FAILURES } from '../../../src/domain/schedule/parking.ts';
import { followTestClock } from '../../../src/domain/schedule/test-clock.ts';
import { addSeconds } from '../../../src/platform/clock.ts';
import { lockPayments } from '../../../src/domain/payments/lifecycle/store.ts';
import { transition } from '../../../src/domain/payments/lifecycle/transition.ts';
import { quarantine } from '../../../src/domain/payments/lifecycle/quarantine.ts';
import type { Tx } from '../../../src/platform/postgres/db.ts';
import { eachShop } from '../../support/each-shop.ts';
import type { Harness } from '../../support/harness.ts';
import { waitingFor } from '../../support/locks.ts';
import type { Shop } from '../../support/shop.ts';

const CONFIRMATIONS = 12;
const HOUR = 3_600;
const PAGE = { network: 'ethereum', height: null, isLive: false } as const;
const CUSTOMER_ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

describe("who waits for a payment's lock decides by what was committed meanwhile", () => {
  let harness: Harness;
  let shop: Shop;
  eachShop(async (opened) => {
    ({ harness, shop } = opened);
    await harness.work();
  });

  const sync = async (network: 'ethereum' | 'bitcoin' = 'ethereum') => {
    while (await syncNetwork(harness.ctx, harness.adapters, network));
  };
  const send = (id: string, amount: string) => shop.send(id, { network: 'ethereum', coin: 'USDC', amount });
  const confirm = async () => {
    await sync();
    await shop.chain.mine('ethereum', CONFIRMATIONS, harness.ctx.now());
    await sync();
  };
  /** Quarantines what a page of Ethereum reports, as a sync does that cannot apply it. */
  const quarantined =
    (id: string, ...transfers: ChainTransfer[]) =>
    async (tx: Tx) => {
      const now = harness.ctx.now();
      const payments = await lockPayments(tx, [id]);
      await quarantine(tx, payments, () => ({ ...PAGE, transfers, rates: SIMULATED_RATES }), now);
    };
  const dropped = (transfer: ChainTransfer): ChainTransfer => ({
    ...transfer,
    block: null,
    droppedAt: harness.ctx.now(),
    reason: 'replaced',
  });
  /** Applies a page of Ethereum that reports a transfer. */
  const report = (id: string, transfer: ChainTransfer) => async (tx: Tx) => {
    const transfers = new Map([[id, [transfer]]]);
    const concerned = await lockConcerned(tx, null, [id], transfers);
    const at = harness.ctx.now();
    const page = { ...PAGE, heights: null, finality: {}, transfers, ratesOf: () => SIMULATED_RATES, at };
    await applyTransfers(tx, concerned, page, at);
  };
  const lose = (id: string, transfer: ChainTransfer) => report(id, dropped(transfer));
  const ledger = (id: string) =>
    harness.ctx.db('ledger_entries').where({ payment_id: id }).orderBy('id').pluck('kind');

  it('a settlement asks no exchange for money whose loss is quarantined meanwhile', async () => {
    const id = await shop.create();
    const transfer = await send(id, '10.50');
    await confirm();
    const asked: string[] = [];
    const convert = ({ reference }: { reference: string }) => {
      asked.push(reference);
      return Promise.resolve('converted' as const);
    };
    await shop.chain.replace(transfer.txHash, harness.ctx.now());
    await waitingFor(harness.ctx.db, quarantined(id, dropped(transfer)), () =>
      settlePayments(harness.ctx, { exchange: { convert } }, [id]),
    );
    expect(asked).to.deep.equal([]);
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'FAILED', amount_received: '0' });
    expect(await ledger(id)).to.deep.equal(['received', 'reversed']);
  });

  it('a single payment does not expire whose money in time is quarantined meanwhile', async () => {
    const id = await shop.create();
    const transfer = await send(id, '10.50');
    harness.advance(HOUR);
    const now = harness.ctx.now();
    const moved = await waitingFor(harness.ctx.db, quarantined(id, transfer), () =>
      harness.ctx.db.transaction((tx) =>
        transition(tx, [{ paymentId: id, trigger: 'deadline_passed' }], now),
      ),
    );
    expect(moved).to.deep.equal([]);
    await harness.work();
    expect((await shop.story(id)).slice(0, 2)).to.deep.equal(['created WAITING', 'pending PENDING']);
  });

  const twoNetworks = async () => {
    const id = await shop.create();
    const transfer = await send(id, '4.50');
    await confirm();
    await shop.pay(id, { network: 'bitcoin', coin: 'BTC', amount: '0.0001' });
    await sync('bitcoin');
    expect(await shop.payment(id)).to.include({ status: 'PENDING', fully_funded: true });
    return { id, transfer };
  };

  it("a page confirms nothing of a payment of which another network's report is quarantined meanwhile", async () => {
    const { id, transfer } = await twoNetworks();
    await shop.chain.replace(transfer.txHash, harness.ctx.now());
    await shop.chain.mine('bitcoin', 1, harness.ctx.now());
    await sync('bitcoin');
    await shop.chain.mine('bitcoin', 1, harness.ctx.now());
    await waitingFor(harness.ctx.db, quarantined(id, dropped(transfer)), () => sync('bitcoin'));
    expect((await shop.payment(id)).status).to.equal('PENDING');
    const left = await harness.ctx.db('unapplied_transfers').where({ payment_id: id }).pluck('network');
    expect(left, 'nothing is kept of a page that reports nothing').to.deep.equal(['ethereum']);
    await harness.work();
    await sync('bitcoin');
    await harness.work();
    expect(await shop.payment(id)).to.include({ status: 'PENDING', amount_received: '6' });
    expect((await shop.story(id)).slice(2)).to.deep.equal(['pending PENDING', 'pending PENDING']);
  });

  it('a page quarantines its transfers behind those that are quarantined meanwhile', async () => {
    const { id, transfer } = await twoNetworks();
    await shop.pay(id, { network: 'bitcoin', coin: 'BTC', amount: '0.0002' });
    await waitingFor(harness.ctx.db, quarantined(id, dropped(transfer)), () => sync('bitcoin'));
    expect((await shop.payment(id)).amount_received).to.equal('10.5');
    await harness.work();
    expect(await harness.ctx.db('unapplied_transfers').pluck('network')).to.deep.equal([]);
    expect((await shop.payment(id)).amount_received).to.equal('18');
  });

  it('a refund whose payout was asked for is not withdrawn when a transfer of it is lost meanwhile', async () => {
    const id = await shop.create();
    const lost = await send(id, '4');
    await send(id, '3');
    await confirm();
    harness.advance(HOUR);
    await harness.work();
    const refund = await shop.refund(id);
    await send(id, '5');
    await sync();
    const asked: string[] = [];
    const pay = (inPayout: () => Promise<unknown>) => {
      const payouts: Payouts = {
        async request({ reference, amount }) {
          asked.push(`${reference} ${amount}`);
          await inPayout();
          return { txHash: '0x1' };
        },
      };
      return sendRefunds(harness.ctx, { payouts }, [refund.id]);
    };
    await pay(() => waitingFor(harness.ctx.db, lose(id, lost), () => pay(() => Promise.resolve())));
    await harness.work();
    expect(new Set(asked)).to.deep.equal(new Set([`${refund.id} 7`]));
    const refunds = await harness.ctx.db('refunds').where({ payment_id: id }).select('amount', 'status');
    expect(refunds).to.deep.equal([{ amount: '7', status: 'COMPLETED' }]);
    expect(await shop.payment(id)).to.include({ status: 'REFUNDED', amount_refunded: '7' });
    expect(await ledger(id)).to.deep.equal(['received', 'reversed', 'refunded']);
  });

  it('a conversion that was asked for is not given up when a transfer of it is lost meanwhile', async () => {
    const id = await shop.create({ pay_amount: '19' });
    const lost = await send(id, '7');
    await send(id, '12');
    await confirm();
    const asked: string[] = [];
    const settle = (inCall: () => Promise<unknown>) => {
      const exchange: CurrencyExchange = {
        async convert({ reference, paid }) {
          asked.push(`${reference} ${paid}`);
          await inCall();
          return 'converted';
        },
      };
      return settlePayments(harness.ctx, { exchange }, [id]);
    };
    await settle(() => waitingFor(harness.ctx.db, lose(id, lost), () => settle(() => Promise.resolve())));
    expect(new Set(asked)).to.deep.equal(new Set([`${id}/1 19`]));
    await send(id, '7');
    await confirm();
    await settle(() => Promise.resolve());
    expect(new Set(asked)).to.deep.equal(new Set([`${id}/1 19`, `${id}/2 7`]));
    const conversions = await harness.ctx.db('conversions').orderBy('number').select('amount', 'status');
    expect(conversions).to.deep.equal([
      { amount: '19', status: 'CONVERTED' },
      { amount: '7', status: 'CONVERTED' },
    ]);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '19' });
  });

  it('the page takes no refund address of a payment that is paid in full meanwhile', async () => {
    const id = await shop.create();
    const { token_id } = await shop.payment(id);
    await send(id, '4');
    await confirm();
    harness.advance(HOUR);
    await harness.work();
    const rest = await send(id, '6.50');
    const entered = await waitingFor(harness.ctx.db, report(id, rest), () =>
      giveRefundAddress(harness.ctx, harness.adapters, token_id, CUSTOMER_ADDRESS),
    );
    expect(entered).to.equal('closed');
    expect(await harness.ctx.db('refund_addresses').select()).to.deep.equal([]);
  });

  it('the simulated customer sends nothing to a chain that the payment leaves meanwhile', async () => {
    const id = await shop.create();
    const isolate = async (tx: Tx) => {
      for (const payment of await lockPayments(tx, [id]))
        await isolatePayment(harness.ctx, tx, harness.adapters.testChain(harness.ctx), payment);
      await tx('payments').where({ id }).update({ test_clock: id });
    };
    await waitingFor(harness.ctx.db, isolate, () => autopay(harness.ctx, harness.adapters, [id]));
    expect(await harness.ctx.db('sim_transfers').select()).to.deep.equal([]);
  });

  for (const command of ['releaseParked', 'requeue'] as const)
    it(`${command} makes a job due by the test clock that is advanced meanwhile`, async () => {
      const { ctx } = harness;
      const id = await shop.create();
      const runAt = addSeconds(ctx.now(), 2 * HOUR);
      await ctx.db('payments').where({ id }).update({ test_clock: id });
      await ctx.db('scheduled_jobs').where({ key: id }).update({
        test_clock: id,
        run_at: runAt,
        visible_at: 'infinity',
        parked_at: ctx.now(),
        failures: STUCK_AFTER_FAILURES,
      });
      const offsetMs = HOUR * 1_000;
      const advance = async (tx: Tx) => {
        await tx('payments').where({ id }).update({ clock_offset_ms: offsetMs });
        await followTestClock(tx, { id, offsetMs, frozenUntil: null });
      };
      const which = { job: null, key: null, payment: null };
      const act = () => (command === 'requeue' ? requeue(ctx, which) : releaseParked(ctx.db, which));
      expect(await waitingFor(ctx.db, advance, act)).to.have.length(1);
      const [visibleAt] = await ctx.db('scheduled_jobs').where({ key: id }).pluck('visible_at');
      expect(visibleAt).to.deep.equal(addSeconds(ctx.now(), HOUR));
    });
});
