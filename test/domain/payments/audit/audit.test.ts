import { expect } from 'chai';
import { rescanChain } from '../../../../src/domain/ops/chains.ts';
import { startAudits } from '../../../../src/domain/payments/audit/audit.ts';
import { settlePayments } from '../../../../src/domain/payments/processing/settle.ts';
import { applyQuarantinedTransfers } from '../../../../src/domain/payments/processing/apply-quarantined.ts';
import { expirePayment } from '../../../../src/domain/payments/lifecycle/jobs.ts';
import { AuditStand, BEFORE_SECONDS } from '../../../support/audit-stand.ts';
import { eachShop } from '../../../support/each-shop.ts';
import { unitsOf, useEvmStand } from '../../../support/evm-stand.ts';
import { BEGIN, type Harness } from '../../../support/harness.ts';
import { marketAt } from '../../../support/market.ts';
import { openPausableDb, PAUSE_LOCK } from '../../../support/races/pausable-db.ts';
import type { Shop } from '../../../support/shop.ts';

const HOUR = 3_600;
const HALF = unitsOf('ETH', 1) / 2n;

describe('the balance audit', () => {
  const standOf = useEvmStand(BEGIN);
  let harness: Harness;
  let shop: Shop;
  let audits: AuditStand;
  const opened: AuditStand[] = [];
  eachShop((own) => {
    ({ harness, shop } = own);
    audits = new AuditStand(standOf(), own);
    opened.push(audits);
  });
  after(() => Promise.all(opened.map((one) => one.close())));

  const auditRow = async (id: string) =>
    (await harness.ctx.db('balance_audits').where({ payment_id: id }).first()) as
      | { baseline: string; unproven: string | null; due_at: Date; audited_until: Date }
      | undefined;
  const receivedBy = async (id: string) => (await shop.payment(id)).amount_received;

  it('finds what a contract sent before the deadline, credits it without a hash, and the payment does not expire', async () => {
    const { id, address } = await audits.open();
    await audits.forward(address, HALF);
    await audits.settle();
    expect(await audits.real.statusOf(id), 'no scan sees it').to.equal('WAITING');
    await audits.later(HOUR);
    expect(await audits.expire(id), 'the deadline waits for the audit').to.equal('WAITING');
    await audits.audit();
    expect(await audits.expire(id)).to.equal('PROCESSING');
    expect(await shop.payment(id)).to.include({ amount_received: '0.5', tx_hash: null });
    expect((await shop.payment(id)).exceptions).to.deep.equal([]);
    const events = await shop.events(id);
    expect(JSON.stringify(events)).to.not.include('balance:');
    expect(events.map(({ type, data }) => [type, data.payment.txHash, data.payment.network])).to.deep.equal([
      ['checkout.created', null, 'ethereum'],
      ['checkout.pending', null, 'ethereum'],
      ['checkout.processing', null, 'ethereum'],
    ]);
  });

  it('finds it once, however often it looks', async () => {
    const { id, address } = await audits.open();
    await audits.forward(address, HALF / 2n);
    await audits.later(HOUR);
    await audits.audit();
    expect(await receivedBy(id)).to.equal('0.25');
    await harness.ctx.db('balance_audits').update({ due_at: harness.ctx.now() });
    await audits.settle();
    await audits.audit();
    expect(await receivedBy(id)).to.equal('0.25');
    await audits.forward(address, HALF / 2n);
    await audits.settle();
    await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
    await audits.audit();
    expect(await receivedBy(id)).to.equal('0.5');
  });

  it('counts nothing that was at the address before the payment was there', async () => {
    await audits.later(BEFORE_SECONDS);
    harness.advance(600);
    const merchant = await audits.real.addMerchant({ currency: 'ETH', network: 'ethereum' });
    const id = await audits.real.create({ pay_amount: '0.5' }, merchant);
    const { address } = await shop.payment(id);
    await audits.forward(address, HALF);
    await audits.settle();
    await audits.audit();
    expect((await auditRow(id))?.baseline).to.equal('0.5');
    await audits.later(HOUR);
    await audits.audit();
    expect(await audits.expire(id)).to.equal('EXPIRED');
    expect(await receivedBy(id)).to.equal('0');
  });

  it('counts what came right after the creation, though the final block is later', async () => {
    await audits.later(BEFORE_SECONDS);
    const merchant = await audits.real.addMerchant({ currency: 'ETH', network: 'ethereum' });
    const id = await audits.real.create({ pay_amount: '0.5' }, merchant);
    const { address } = await shop.payment(id);
    await standOf().rpc('evm_increaseTime', 5);
    await audits.forward(address, HALF);
    await audits.settle();
    await audits.audit();
    expect(Number((await auditRow(id))?.baseline)).to.equal(0);
    await audits.later(HOUR);
    await audits.audit();
    expect(await receivedBy(id)).to.equal('0.5');
  });

  it('alerts operators of what came before anybody looked, and after the payment: it may be for that', async () => {
    await audits.later(BEFORE_SECONDS);
    const merchant = await audits.real.addMerchant({ currency: 'ETH', network: 'ethereum' });
    const [paid, unpaid] = [
      await audits.real.create({ pay_amount: '0.5' }, merchant),
      await audits.real.create({ pay_amount: '0.5', order_id: 'order-2' }, merchant),
    ];
    await standOf().rpc('evm_increaseTime', 300);
    const { address } = await shop.payment(paid);
    await audits.forward(address, HALF);
    // More blocks than nodes keep states of, as far as they are asked for.
    await standOf().mine(80);
    await audits.settle();
    await audits.audit();
    expect([(await auditRow(paid))?.baseline, Number((await auditRow(unpaid))?.baseline)]).to.deep.equal([
      null,
      0,
    ]);
    await audits.later(HOUR);
    await audits.audit();
    expect((await auditRow(paid))?.unproven).to.equal('0.5 ETH');
    expect((await auditRow(unpaid))?.unproven).to.equal(null);
    expect([await receivedBy(paid), await receivedBy(unpaid)]).to.deep.equal(['0', '0']);
  });

  it('takes a balance for in order that is lower than what came: the merchant has moved it on', async () => {
    const { id, address } = await audits.open();
    await standOf().send(address, HALF / 2n);
    await audits.settle();
    await standOf().rpc('anvil_setBalance', address, '0x0');
    await audits.later(HOUR);
    await audits.audit();
    expect(await audits.expire(id)).to.equal('EXPIRED');
    expect(await receivedBy(id)).to.equal('0.25');
    expect((await auditRow(id))?.unproven).to.equal(null);
  });

  it('wakes an expiry that has found it undone, and is about to be put off', async () => {
    const { id } = await audits.open();
    await audits.later(HOUR);
    const slow = openPausableDb(harness.ctx.config.databaseUrl, 'expiry');
    const pause = await harness.ctx.db.transaction();
    await pause.raw(`SELECT pg_advisory_xact_lock(${PAUSE_LOCK})`);
    slow.pauseBefore({ index: 1, isCommit: false });
    const expiring = audits.expire(id, { ...harness.ctx, db: slow.db });
    expect(await slow.paused).to.equal('put_off_jobs');
    await audits.audit();
    await pause.commit();
    expect(await expiring).to.equal('WAITING');
    await slow.db.destroy();
    const job = await harness.ctx.db('scheduled_jobs').where({ job: expirePayment.name, key: id }).first();
    expect(job?.run_at).to.deep.equal(harness.ctx.now());
    expect(await audits.expire(id)).to.equal('EXPIRED');
  });

  it('holds a deadline for an hour at most where it cannot be done', async () => {
    const { id } = await audits.open();
    await audits.later(HOUR);
    expect(await audits.expire(id)).to.equal('WAITING');
    const job = await harness.ctx.db('scheduled_jobs').where({ job: expirePayment.name, key: id }).first();
    expect(job?.run_at).to.be.greaterThan(harness.ctx.now());
    await audits.later(HOUR - 120);
    expect(await audits.expire(id)).to.equal('WAITING');
    await audits.later(180);
    expect(await audits.expire(id)).to.equal('EXPIRED');
  });

  it('goes on while payments are due, without a block between its rounds', async () => {
    await audits.later(BEFORE_SECONDS);
    const merchant = await audits.real.addMerchant({ currency: 'ETH', network: 'ethereum' });
    for (let count = 0; count < 51; count += 1)
      await audits.real.create({ pay_amount: '0.5', order_id: `order-${count}` }, merchant);
    await startAudits(harness.ctx, audits.real.adapters.live, 'ethereum')();
    expect(await harness.ctx.db('balance_audits').pluck('payment_id')).to.have.length(51);
  });

  it('is made at the deadline, at the end of the late window, and not of what is over', async () => {
    const { id, address } = await audits.open();
    await audits.later(HOUR);
    await audits.audit();
    await audits.expire(id);
    expect((await auditRow(id))?.due_at.getTime()).to.equal(
      (await shop.payment(id)).expires_at.getTime() + 24 * HOUR * 1_000,
    );
    await audits.forward(address, HALF);
    await audits.later(24 * HOUR);
    await audits.audit();
    const { status, ...payment } = await shop.payment(id);
    expect(payment).to.deep.include({ amount_received: '0.5', exceptions: ['late'] });
    await harness.ctx.db('payments').where({ id }).update({ status: 'FAILED' });
    await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
    await audits.audit();
    expect(await auditRow(id)).to.equal(undefined);
    await harness.ctx.db('payments').where({ id }).update({ status });
  });

  describe('beside a scan that finds the same money later', () => {
    const rescanWithTraces = async (height: number) => {
      audits.use({ hasTraces: true });
      await rescanChain(harness.ctx.db, 'ethereum', height);
      while (await audits.real.sync());
      await audits.real.sync();
    };

    it('gives it the name of its transaction, and no event', async () => {
      const { id, address } = await audits.open();
      const height = await standOf().height();
      const hash = await audits.forward(address, HALF / 2n);
      await audits.later(HOUR);
      await audits.audit();
      const told = (await shop.story(id)).length;
      await rescanWithTraces(height);
      expect(await shop.payment(id)).to.include({ amount_received: '0.25', tx_hash: hash });
      expect(await shop.story(id)).to.have.length(told);
      await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
      await audits.audit();
      expect(await receivedBy(id), 'and the next audit finds nothing more').to.equal('0.25');
    });

    it('names as much of it as was found, of several transfers, whichever are found', async () => {
      const { id, address } = await audits.open();
      const height = await standOf().height();
      for (const part of [8n, 16n]) await audits.forward(address, HALF / part);
      const middle = await standOf().height();
      await audits.forward(address, HALF / 4n);
      await audits.later(HOUR);
      await audits.audit();
      expect(await receivedBy(id)).to.equal('0.21875');
      const told = (await shop.story(id)).length;
      await rescanWithTraces(middle - 1);
      expect(await receivedBy(id)).to.equal('0.21875');
      await rescanWithTraces(height);
      expect(await receivedBy(id)).to.equal('0.21875');
      expect(await shop.story(id)).to.have.length(told);
      const rows = await harness.ctx.db('transfers').where({ payment_id: id, dropped_at: null });
      expect(rows.map(({ tx_hash }) => String(tx_hash).slice(0, 2))).to.deep.equal(['0x', '0x', '0x']);
    });

    it('names the whole of what is settled, and of a part of it a person decides: nothing counts twice', async () => {
      const quarantinedOf = (id: string) =>
        harness.ctx.db('unapplied_transfers').where({ payment_id: id }).select('network', 'is_live');
      const settled = async (parts: readonly bigint[]) => {
        audits.use();
        const { id, address } = await audits.open();
        const heights = [await standOf().height()];
        for (const part of parts) {
          await audits.forward(address, part);
          heights.push(await standOf().height());
        }
        await audits.later(HOUR);
        await audits.audit();
        await settlePayments(harness.ctx, audits.real.adapters.live, [id]);
        expect(await audits.real.statusOf(id)).to.equal('SETTLED');
        return { id, last: heights.at(-2) ?? 0 };
      };
      const whole = await settled([HALF]);
      await rescanWithTraces(whole.last);
      expect(await quarantinedOf(whole.id)).to.deep.equal([]);
      expect((await shop.payment(whole.id)).tx_hash).to.match(/^0x/);

      const inTwo = await settled([HALF / 2n, HALF / 2n]);
      await rescanWithTraces(inTwo.last);
      expect(await quarantinedOf(inTwo.id)).to.deep.equal([{ network: 'ethereum', is_live: true }]);
      for (const { id } of [whole, inTwo])
        expect(await shop.payment(id)).to.include({ status: 'SETTLED', amount_received: '0.5' });
    });

    it('lets more than was found be new money, where coins had left before', async () => {
      const { id, address } = await audits.open();
      const height = await standOf().height();
      await audits.forward(address, HALF / 2n);
      await standOf().mine();
      await standOf().rpc('anvil_setBalance', address, `0x${(HALF / 8n).toString(16)}`);
      await audits.later(HOUR);
      await audits.audit();
      expect(await receivedBy(id)).to.equal('0.0625');
      // The state root of the block in which it came proves it.
      await rescanWithTraces(height);
      expect(await receivedBy(id)).to.equal('0.25');
    });
  });

  it('quarantines what it cannot credit yet, and the payment does not expire', async () => {
    await audits.later(BEFORE_SECONDS);
    const id = await audits.real.create();
    const { address } = await shop.payment(id);
    await audits.audit();
    await audits.forward(address, HALF);
    await audits.later(HOUR);
    await audits.audit({ rates: marketAt(() => ({})) });
    expect(await audits.expire(id)).to.equal('WAITING');
    expect(await receivedBy(id)).to.equal('0');
    await applyQuarantinedTransfers(harness.ctx, audits.real.adapters.live, [id]);
    expect(await audits.real.statusOf(id)).to.equal('PROCESSING');
    expect(await receivedBy(id)).to.equal('1500');
    await audits.settle();
    await harness.ctx.db('balance_audits').update({ due_at: BEGIN });
    await audits.audit();
    expect(await receivedBy(id)).to.equal('1500');
  });
});
