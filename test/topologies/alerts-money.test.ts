import { expect } from 'chai';
import { sendRefund } from '../../src/domain/payments/lifecycle/jobs.ts';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { startProcess } from '../processes/service.ts';
import { AlertStand } from '../support/alert-stand.ts';
import { until } from '../support/until.ts';

/** Longer than a refund may wait for an address, and than its alert waits. */
const THREE_DAYS_AND_AN_HOUR = 73 * 60;
const TRY_EVERY_MS = 100;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

describe('the alerts on money', function () {
  this.timeout(150_000);
  let alerts: AlertStand;
  let key: string;
  before(async () => {
    const SIMULATED = { SIMULATE_LIVE: 'true', SIMULATE_LIVE_IN_PRODUCTION: 'yes-lose-money' };
    alerts = await AlertStand.open(SIMULATED, {
      worker: { WORKER_QUEUES: QUEUE_NAMES.filter((name) => name !== sendRefund.queue).join() },
    });
    const args = ['create', '--json', '--mode', 'live', '--name', 'Shop', '--currency', 'USDC'];
    const merchants = startProcess('merchants', alerts.stand.env, [...args, '--network', 'ethereum']);
    expect(await merchants.ended()).to.equal(0);
    key = (JSON.parse(merchants.printed()) as { api_key: string }).api_key;
  });
  after(() => alerts.close());

  /** What a live merchant asks for. */
  const call = async (path: string, body: object) => {
    const response = await fetch(`http://127.0.0.1:${alerts.web.port}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).to.equal(201);
    return JSON.parse(text) as { id: string; status: string };
  };
  const settle = async () => {
    const { id } = await call('/v1/payment', { pay_amount: '10.50', order_id: 'refunded' });
    await until('it is settled', async () => {
      const rows = await alerts.stand.rows(`SELECT FROM payments WHERE id = ? AND status = 'SETTLED'`, [id]);
      return rows.length === 1;
    });
    return id;
  };

  it('fire while a refund waits for an address', async () => {
    const refund = await call(`/v1/payment/${await settle()}/refund`, {});
    expect(refund.status).to.equal('NEEDS_ADDRESS');
    const course = await alerts.untilGrown('money_waiting_seconds{what="refund_without_address",mode="live"');
    alerts.expectFiring(['RefundsWithoutAddress'], { ...course, minutes: THREE_DAYS_AND_AN_HOUR });
  });

  it('fire while a refund is held', async () => {
    const refund = await call(`/v1/payment/${await settle()}/refund`, { amount: '1.00' });
    const before = await alerts.untilWhole();
    await alerts.stand.rows(`UPDATE refunds SET status = 'HELD', address = ? WHERE id = ?`, [
      ADDRESS,
      refund.id,
    ]);
    const after = await alerts.untilShown('money_waiting{what="refund_held",mode="live"');
    alerts.expectFiring(['RefundsHeld'], { before, after });
    await alerts.stand.rows(`UPDATE refunds SET status = 'NEEDS_ADDRESS' WHERE id = ?`, [refund.id]);
  });

  it('fire while the signer holds an account', async () => {
    const before = await alerts.untilWhole();
    await alerts.stand.rows(
      `INSERT INTO payout_accounts (network, address, next_nonce, held_because, seen_at)
      VALUES ('ethereum', ?, 0, 'a reason', now()) RETURNING network`,
      [ADDRESS],
    );
    const after = await alerts.untilShown('money_waiting{what="payout_held",mode="live"');
    alerts.expectFiring(['PayoutsHeld'], { before, after });
    await alerts.stand.rows('DELETE FROM payout_accounts RETURNING network', []);
  });

  // The simulator's exchange refuses nothing, and no other serves live merchants. That of a scenario does, of
  // a test merchant: its mode alone is changed.
  it('fire when an exchange has refused to convert money', async () => {
    const { web, stand } = alerts;
    const before = await alerts.untilWhole();
    const ran = await web.api('POST', '/v1/sandbox/scenarios', { story: 'conversion-failed' });
    expect(ran.status).to.equal(200);
    await stand.rows(`UPDATE merchants SET mode = 'live' WHERE id = ?`, [stand.merchant.id]);
    const after = await alerts.untilShown('money_waiting{what="conversion_refused",mode="live"');
    alerts.expectFiring(['ConversionsRefused'], { before, after });
  });

  it('fire while what came to an exchange is not sold', async () => {
    const before = await alerts.untilWhole();
    const id = await settle();
    await alerts.stand.rows(
      `INSERT INTO sales (payment_id, number, merchant_id, status, reason, created_at, since)
       SELECT c.payment_id, c.number, ?, 'HELD', 'insufficient_funds', c.created_at, c.created_at
       FROM conversions c WHERE c.payment_id = ?`,
      [alerts.stand.merchant.id, id],
    );
    const after = await alerts.untilShown('money_waiting{what="sale_held",mode="live"');
    alerts.expectFiring(['SalesHeld'], { before, after });
    await alerts.stand.rows('DELETE FROM sales WHERE payment_id = ?', [id]);
  });

  it('fire when a job has failed again and again', async () => {
    const before = await alerts.untilWhole();
    const refund = await call(`/v1/payment/${await settle()}/refund`, { address: ADDRESS });
    // The worker of refunds was not told that live money is simulated.
    const unaware = { SIMULATE_LIVE: '', SIMULATE_LIVE_IN_PRODUCTION: '' };
    await alerts.stand.startWorker({ ...unaware, WORKER_QUEUES: sendRefund.queue });
    // Its next try comes at once, instead of up to ten minutes later; none comes when it is parked.
    const tryAgain = () =>
      alerts.stand.rows(
        `UPDATE scheduled_jobs SET visible_at = run_at + interval '1 ms'
         WHERE job = ? AND key = ? AND visible_at < 'infinity' RETURNING key`,
        [sendRefund.name, refund.id],
      );
    await until('it is parked', async () => (await tryAgain()).length === 0, 100_000, TRY_EVERY_MS);
    const after = await alerts.untilShown('due_work_stuck{job="refund.send"');
    alerts.expectFiring(['JobsStuck'], { before, after });
  });

  it('have all fired', () => alerts.expectFired('money'));
});
