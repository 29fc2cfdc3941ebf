import { expect } from 'chai';
import { sweepOnce } from '../../../src/domain/idempotency/sweep.ts';
import { explain, rowsRead } from '../../support/explain.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

const HOUR = 3_600;

describe('sweeping idempotency keys', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
  });
  afterEach(() => harness.close());

  /** `count` claims that were taken so long ago. */
  const add = (name: string, count: number, secondsAgo: number) =>
    harness.ctx.db.raw(
      `INSERT INTO idempotency_keys (merchant_id, method, path, key, body_hash, created_at)
       SELECT 'mer_1', 'POST', '/v1/payment', ? || i, '', ?::timestamptz - ? * interval '1 s' FROM generate_series(1, ?) AS i`,
      [name, harness.ctx.now(), secondsAgo, count],
    );
  const left = async () => {
    const { rows } = await harness.ctx.db.raw<{ rows: { key: string }[] }>(
      'SELECT key FROM idempotency_keys ORDER BY key',
    );
    return rows.map(({ key }) => key);
  };

  it('takes what is older than 25 hours, and nothing younger', async () => {
    await add('old', 1, 25 * HOUR + 0.001);
    await add('young', 1, 25 * HOUR);
    await add('day', 1, 24 * HOUR);
    expect(await sweepOnce(harness.ctx)).to.equal(1);
    expect(await left()).to.deep.equal(['day1', 'young1']);
  });

  it('by two workers at once, of more than a chunk: everything once, and no deadlock', async () => {
    await add('old', 12_000, 26 * HOUR);
    const swept = await Promise.all([sweepOnce(harness.ctx), sweepOnce(harness.ctx)]);
    expect(swept[0] + swept[1]).to.equal(12_000);
    expect(await left()).to.deep.equal([]);
  });

  it('reads the claims that it takes, and not the day that it keeps', async () => {
    await add('young', 50_000, HOUR);
    await add('old', 2_000, 26 * HOUR);
    await harness.ctx.db.raw('ANALYZE idempotency_keys');
    for (const plan of await explain(harness.ctx.db, (tx) => sweepOnce({ ...harness.ctx, db: tx })))
      expect(rowsRead(plan, 'idempotency_keys'), plan).to.be.at.most(4_000);
  });
});
