import { expect } from 'chai';
import type { ServerResponse } from 'node:http';
import { AlertStand, valueOf } from '../support/alert-stand.ts';
import { startReceiver, type Answer, type Receiver } from '../support/receivers.ts';

/** More than the alert allows to have an open circuit, at origins that may have ten each. */
const RECEIVERS = 3;
const ENDPOINTS_AT_EACH = 8;
/** Each is an event of every endpoint: so many are a backlog, in which failures open the circuit. */
const PAYMENTS = 20;
const OPEN_CIRCUITS = 'webhook_endpoints_stopped{state="open"';

describe('the alerts on deliveries', function () {
  this.timeout(150_000);
  let alerts: AlertStand;
  let receivers: Receiver[];
  const hanging: ServerResponse[] = [];
  let failing = false;
  /** Hangs, and from some time on fails. */
  const answer = (): Answer => (failing ? { status: 500 } : (response) => void hanging.push(response));
  before(async () => {
    receivers = await Promise.all(Array.from({ length: RECEIVERS }, () => startReceiver({ answer })));
    // Sixteen slots, of which a merchant gets eight, for as long as its receivers hang.
    const slots = { WORKER_CONCURRENCY: '1', WEBHOOK_TIMEOUT_SECONDS: '600', WEBHOOK_RETRY_SECONDS: '600' };
    alerts = await AlertStand.open({ ...slots, SIMULATOR_AUTOPAY_SECONDS: 'off' });
    for (const { url } of receivers)
      for (let i = 0; i < ENDPOINTS_AT_EACH; i += 1)
        await call('POST', '/v1/webhooks/endpoints', { url: `${url}/${i}` });
  });
  after(async () => {
    await alerts.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  const call = async (method: string, path: string, body: object) => {
    const response = await alerts.web.api(method, path, body);
    expect(response.ok, await response.text()).to.equal(true);
  };

  it('fire while receivers hang, so that others wait for their turn', async () => {
    for (let i = 0; i < PAYMENTS; i += 1)
      await call('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'failing' });
    alerts.expectFiring(['TurnsLong'], await alerts.untilGrown('jobs_waiting_for_turn_seconds'));
  });

  it('fire while receivers fail', async () => {
    const before = await alerts.untilWhole();
    failing = true;
    for (const response of hanging) response.writeHead(500).end();
    const after = await alerts.until(
      'the circuits are open',
      (latest) => (valueOf(latest, OPEN_CIRCUITS) ?? 0) === RECEIVERS * ENDPOINTS_AT_EACH,
    );
    alerts.expectFiring(['BreakersOpen', 'DeliveriesFailing'], { before, after });
  });

  it('have all fired', () => alerts.expectFired('deliveries'));
});
