import { expect } from 'chai';
import { until } from '../support/until.ts';
import { endAll, freePort } from './service.ts';
import { createStand, type Stand } from './stand.ts';

describe('a web process with a replica', function () {
  this.timeout(60_000);
  let stand: Stand | undefined;
  afterEach(async () => {
    await endAll();
    await stand?.close();
  });

  it('starts and serves while the replica is away, and says why it does not serve', async () => {
    stand = await createStand();
    const url = new URL(stand.env.DATABASE_URL ?? '');
    url.port = String(await freePort());
    const web = await stand.startWeb({ DATABASE_REPLICA_URL: url.href });
    const created = await web.api('POST', '/v1/payment', { pay_amount: '10.50', order_id: 'order' });
    expect(created.status).to.equal(201);
    const { id } = (await created.json()) as { id: string };
    for (const path of ['/v1/payments', '/v1/events', '/v1/webhooks/deliveries']) {
      const response = await web.api('GET', path);
      expect(response.status, path).to.equal(200);
      if (path === '/v1/payments') expect(await response.text()).to.include(id);
    }
    const isLogged = (line: string) =>
      line.includes('the replica does not serve') && line.includes('connection refused');
    await until('it is logged', () => web.output().split('\n').some(isLogged));
    expect(web.output()).to.not.include(url.password);
    // Nothing is lost without it: it is no check of the status.
    expect(await (await web.api('GET', '/v1/status')).text()).to.not.include('replica');
  });
});
