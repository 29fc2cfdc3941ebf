import { expect } from 'chai';
import { QUEUE_NAMES } from '../../src/domain/schedule/job.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

for (const engine of ENGINES)
  describe(`Bull Board, with queues on ${engine.name}`, () => {
    let service: Service;
    afterEach(() => service.close());

    const get = (path: string, credentials?: string) =>
      fetch(service.baseUrl + path, {
        headers: {
          Connection: 'close',
          ...(credentials === undefined
            ? {}
            : { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
        },
      });

    it('lists every queue by name, with its jobs, behind a password', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sésame: öffne' } });
      await service.startWorker();
      await service.shop.create();
      await service.receiver.waitFor(1);
      const page = await get('/admin/queues', 'admin:sésame: öffne');
      expect(page.status).to.equal(200);
      expect(await page.text()).to.include('<html');
      const list = await get('/admin/queues/api/queues', 'admin:sésame: öffne');
      const { queues } = (await list.json()) as {
        queues: { name: string; counts: Record<string, number> }[];
      };
      expect(queues.map(({ name }) => name)).to.have.members([...QUEUE_NAMES]);
      for (const { name, counts } of queues) expect(counts, name).to.include({ failed: 0 });
    });

    it('shows nothing without the password, or with a wrong one', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame' } });
      for (const path of [
        '/admin/queues',
        '/admin/queues/',
        '/admin/queues/api/queues',
        '/ADMIN/queues',
        '/metrics',
      ])
        for (const credentials of [
          undefined,
          'admin:wrong',
          'root:sesame',
          'admin:',
          ':sesame',
          'admin:sesame2',
          'admin',
        ]) {
          const answer = await get(path, credentials);
          expect(answer.status, `${path} as ${credentials}`).to.equal(401);
          expect(answer.headers.get('www-authenticate')).to.match(/^Basic /);
          expect(await answer.text()).to.not.include('webhook-delivery');
        }
      // Someone who may not look may not act either.
      const retry = await fetch(`${service.baseUrl}/admin/queues/api/queues/expiration/pause`, {
        method: 'PUT',
      });
      expect(retry.status).to.equal(401);
    });

    it('changes nothing, whatever is asked', async () => {
      const change = (path: string, method: string) =>
        fetch(`${service.baseUrl}/admin/queues/api/queues${path}`, {
          method,
          headers: { Authorization: `Basic ${btoa('admin:sesame')}` },
        });
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame', BULL_BOARD_WRITE: 'true' } });
      for (const path of ['/pause', '/expiration/pause', '/expiration/empty', '/expiration/obliterate'])
        for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
          const answer = await change(path, method);
          expect(answer.status, `${method} ${path}`).to.equal(405);
          expect(answer.headers.get('allow')).to.equal('GET, HEAD');
        }
      const list = await get('/admin/queues/api/queues', 'admin:sesame');
      const { queues } = (await list.json()) as { queues: { isPaused: boolean; readOnlyMode: boolean }[] };
      for (const queue of queues) expect(queue).to.include({ isPaused: false, readOnlyMode: true });
    });

    it('leads from a job to its payment, and from the payment to the job, after both have ended', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame' } });
      await service.startWorker();
      await service.shop.create({ order_description: 'for ann' });
      const id = await service.shop.create({ customer_email: 'ann@customer.example' });
      await service.receiver.waitFor(2);
      interface Listed {
        readonly id: string;
        readonly data: { readonly keys: readonly string[] };
        readonly returnValue: unknown;
        readonly externalUrl?: { href: string };
      }
      let done: Listed | undefined;
      await until('a finished delivery is on the board', async () => {
        const path = '/admin/queues/api/queues?activeQueue=webhook-delivery&status=completed&jobsPerPage=100';
        const list = (await (await get(path, 'admin:sesame')).json()) as {
          queues: { name: string; jobs: Listed[] }[];
        };
        const jobs = list.queues.find(({ name }) => name === 'webhook-delivery')?.jobs ?? [];
        // Runs that found nothing due name nothing.
        done = jobs.find(({ data }) => data.keys.length > 0);
        return done !== undefined;
      });
      expect(done?.returnValue).to.deep.include({
        outcome: 'done',
        keys: done?.data.keys,
        merchants: [service.harness.merchant.id],
      });
      const logs = await get(`/admin/queues/api/queues/webhook-delivery/${done?.id}/logs`, 'admin:sesame');
      expect(((await logs.json()) as string[]).join()).to.match(/^ran \d+ in \d+ ms$/);
      // Its key is the endpoint's: the payments that it was sent events of are listed.
      const listed = await (await get(done?.externalUrl?.href ?? '/', 'admin:sesame')).text();
      expect(listed).to.include(`<a href="/admin/payments?id=${id}">`);
      const page = await (await get(`/admin/payments?id=${id}`, 'admin:sesame')).text();
      expect(page).to.include('payment.expire').and.include('checkout.created').and.include('delivered');
      expect(page).to.include(
        `<a href="/admin/queues/queue/webhook-delivery/${done?.id}">webhook.deliver</a>`,
      );
      expect(page)
        .to.not.include('ann')
        .and.not.include((await service.shop.payment(id)).token_id);
    });

    it('finds a payment by what belongs to it, and says when there is none', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame' } });
      const id = await service.shop.create();
      const [event] = await service.shop.events(id);
      const search = async (asked: string) =>
        get(`/admin/payments?id=${encodeURIComponent(asked)}`, 'admin:sesame');
      for (const asked of [id, event?.id ?? '', ` ${id} `, `ethereum,${id}`])
        expect(await (await search(asked)).text(), asked).to.include(`<h1><code>${id}</code></h1>`);
      for (const asked of ['pay_unknown', 'ethereum', '\u0000', '<script>'])
        expect(await (await search(asked)).text())
          .to.include('No payment has this id')
          .and.not.include('<script>');
      expect((await search(Array.from({ length: 51 }, () => 'evt_x').join(','))).status).to.equal(400);
      expect((await get(`/admin/payments?id=${id}`)).status).to.equal(401);
    });

    it('lists no more than a hundred jobs of a state, however many are asked for', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame' } });
      const list = (query: string) =>
        get(`/admin/queues/api/queues?activeQueue=mail&${query}`, 'admin:sesame').then(
          ({ status }) => status,
        );
      expect(await list('jobsPerPage=100')).to.equal(200);
      for (const query of [
        'jobsPerPage=101',
        'jobsPerPage=1000000',
        'jobsPerPage=5&jobsPerPage=1e9',
        'jobsPerPage=x',
      ])
        expect(await list(query), query).to.equal(400);
    });

    it('cannot be framed, and loads nothing from elsewhere', async () => {
      service = await startService(engine, { env: { ADMIN_PASSWORD: 'sesame' } });
      for (const credentials of ['admin:sesame', 'admin:wrong', undefined])
        for (const path of ['/admin/queues/', '/admin/queues/api/queues', '/metrics']) {
          const { headers } = await get(path, credentials);
          expect(headers.get('x-frame-options')).to.equal('DENY');
          expect(headers.get('content-security-policy'))
            .to.match(/^default-src 'none'; script-src 'self';/)
            .and.include("frame-ancestors 'none'");
          expect(headers.get('x-content-type-options')).to.equal('nosniff');
          expect(headers.get('cache-control')).to.include('no-store');
        }
    });

    it('is not there at all without ADMIN_PASSWORD', async () => {
      service = await startService(engine);
      for (const path of ['/admin/queues', '/admin/queues/api/queues', '/metrics'])
        expect((await get(path, 'admin:')).status).to.equal(404);
    });
  });
