import { expect } from 'chai';
import { run, sql } from '../../src/platform/postgres/db.ts';
import { ENGINES } from '../support/engines.ts';
import { hang, startReceiver, type Receiver } from '../support/receivers.ts';
import { startService, type Service } from '../support/service.ts';
import { openShop } from '../support/shop.ts';
import { until } from '../support/until.ts';
import { setWebhookConfig } from '../../src/domain/webhooks/endpoints/settings.ts';
import { timed } from '../support/loop-clock.ts';

/** A merchant's paths on its receiver; each is an endpoint. */
const PATHS = 400;
/** Sixteen deliveries for each job: 32 slots. */
const WORKER_CONCURRENCY = 2;
const SLOTS = 32;
/** A responsive receiver gets its events long before the first hanging request ends, after ten minutes. */
const PROMPT_MS = 5_000;

const untried = sql<{ count: number }>(
  'test_untried_deliveries',
  'SELECT count(*)::int AS count FROM deliveries WHERE attempts = 0',
);
for (const engine of ENGINES)
  describe(`a merchant whose receiver hangs, with queues on ${engine.name}`, () => {
    let service: Service;
    let hanging: Receiver;
    beforeEach(async () => {
      service = await startService(engine, {
        env: { WORKER_CONCURRENCY: String(WORKER_CONCURRENCY), WEBHOOK_TIMEOUT_SECONDS: '600' },
      });
      hanging = await startReceiver({ answer: () => hang });
      const { harness, shop } = service;
      await service.request('PUT', '/v1/webhooks/config', { webhookUrl: hanging.url, enabled: false });
      for (let path = 0; path < PATHS; path += 1)
        await shop.create({ callback_url: `${hanging.url}/order-${path}` });
      await harness.work();
      await service.request('PUT', '/v1/webhooks/config', { webhookUrl: hanging.url, enabled: true });
      const from_date = harness.ctx.now().toISOString();
      const replay = await service.request('POST', '/v1/webhooks/redeliver', { from_date, which: 'all' });
      expect(replay.body).to.deep.include({ count: PATHS });
      // The whole replay is due at once, as it is for a worker that was down for a while.
      harness.advance(60);
    });
    afterEach(async () => {
      await hanging.close();
      await service.close();
    });

    /** Creates payments of another merchant, one after the other, and returns how long their events took. */
    const neighbour = async (payments: number): Promise<number[]> => {
      const { harness } = service;
      const merchant = await harness.addMerchant();
      const receiver = await startReceiver();
      const shop = await openShop(harness, merchant);
      await setWebhookConfig(
        harness.ctx.db,
        merchant.id,
        { webhookUrl: receiver.url, enabled: true },
        harness.ctx.now(),
      );
      const took: number[] = [];
      for (let count = 1; count <= payments; count += 1) {
        const { ms } = await timed(async () => {
          await shop.create();
          await receiver.waitFor(count);
        });
        took.push(ms);
      }
      await receiver.close();
      return took;
    };
    const untilSettled = async (open: number) => {
      await until(`${open} requests hang`, () => hanging.openConnections >= open);
    };

    it('holds half of the slots, and the webhooks of another one arrive at once', async () => {
      await service.startWorker();
      await untilSettled(SLOTS / 2);
      const took = await neighbour(10);
      expect(hanging.openConnections).to.equal(SLOTS / 2);
      expect(Math.max(...took)).to.be.below(PROMPT_MS);
    });

    it('holds half of the slots of two workers, and none of its deliveries is lost', async () => {
      await service.startWorker();
      await service.startWorker();
      await untilSettled(SLOTS);
      await neighbour(10);
      expect(hanging.openConnections).to.equal(SLOTS);
      // From now on its requests fail at once, and keep their places at the origin for a while.
      await hanging.close();
      await service.passUntil('each delivery was tried', async () => {
        const [row] = await run(service.harness.ctx.db, untried, []);
        return row?.count === 0;
      });
    });
  });
