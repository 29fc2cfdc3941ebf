import { expect } from 'chai';
import { QUEUE_NAMES } from '../../src/platform/job.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type Service } from '../support/service.ts';

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
