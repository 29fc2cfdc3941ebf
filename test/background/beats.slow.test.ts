import { expect } from 'chai';
import { openDb, run, sql, type Db } from '../../src/platform/postgres/db.ts';
import { ENGINES } from '../support/engines.ts';
import { startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const readBeats = sql<{ id: string; beats: string }>(
  'test_beats_of_workers',
  'SELECT id, beats FROM worker_beats',
);
/** More than the seconds after which a worker is gone whose beats stand still. */
const BEATS = 4;

describe('a worker that lives', () => {
  let service: Service;
  let own: Db;
  let answer: () => void;
  beforeEach(async () => {
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const [engine] = ENGINES;
    if (engine === undefined) throw new Error('no queue engine is tested');
    service = await startService(engine, {
      receiver: {
        answer: async () => {
          await held;
          return {};
        },
      },
    });
    const { databaseUrl: url } = service.harness.ctx.config;
    own = openDb({ url, poolSize: 2, acquireMs: 60_000, queryMs: 60_000, name: 'busy worker' });
  });
  afterEach(async () => {
    answer();
    await service.close();
    await own.destroy();
  });

  const beats = async () => {
    const rows = await run(service.harness.ctx.db, readBeats, []);
    return new Map(rows.map(({ id, beats }) => [id, Number(beats)]));
  };

  it('keeps its leases while it waits for its pool, and while it closes', async () => {
    const worker = await service.startWorker({ db: own });
    await service.shop.create();
    await service.receiver.waitFor(1);
    await until('it has beaten', async () => (await beats()).size === 1);
    const [id = ''] = (await beats()).keys();
    await service.startWorker();
    const beatOn = async () => {
      const before = (await beats()).get(id) ?? 0;
      const isLater = async () => ((await beats()).get(id) ?? 0) >= before + BEATS;
      await until('others would have missed its beats', isLater, 10_000);
    };
    const taken = await Promise.all([own.transaction(), own.transaction()]);
    await beatOn();
    await Promise.all(taken.map((tx) => tx.rollback()));
    const closed = worker.close();
    await beatOn();
    answer();
    await closed;
    expect(service.receiver.requests).to.have.length(1);
  });
});
