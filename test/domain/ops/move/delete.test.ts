import { expect } from 'chai';
import { deleteMerchant } from '../../../../src/domain/ops/move/delete.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { refusal } from '../../../support/paused.ts';

/** More rows than one transaction deletes. */
const ROWS = 12_000;
const BATCH_ROWS = 5_000;

describe("deleting a merchant's rows", function () {
  this.timeout(60_000);
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness();
    const other = await harness.addMerchant();
    for (const { id } of [harness.merchant, other])
      await harness.ctx.db.raw(
        `INSERT INTO key_request_errors (merchant_id, key_prefix, at, method, route, status, request_id)
         SELECT ?, 'key', ?, 'GET', '/', 400, 'r' || i FROM generate_series(1, ?::int) AS i`,
        [id, harness.ctx.now(), ROWS],
      );
  });
  afterEach(() => harness.close());

  const remove = (holds: () => Promise<void> = () => Promise.resolve()) =>
    deleteMerchant(harness.ctx.db, { merchantId: harness.merchant.id, keeps: 'nothing', holds });
  const left = async () => {
    const rows = await harness.ctx.db('key_request_errors').select('merchant_id');
    return rows.filter(({ merchant_id: id }) => id === harness.merchant.id).length;
  };
  const all = async () => (await harness.ctx.db('key_request_errors').select('id')).length;

  it('keeps what was done where it is interrupted, goes on there, and takes nothing of others', async () => {
    const { db } = harness.ctx;
    await db.raw(`CREATE FUNCTION test_fails() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'killed'; END $$`);
    await db.raw(`CREATE TRIGGER test_fails BEFORE DELETE ON key_request_errors FOR EACH ROW
      WHEN (OLD.request_id = 'r11000') EXECUTE FUNCTION test_fails()`);
    expect(await refusal(remove())).to.include('killed');
    expect(await left()).to.equal(ROWS - 2 * BATCH_ROWS);
    await db.raw('DROP TRIGGER test_fails ON key_request_errors');
    await remove();
    expect([await left(), await all()]).to.deep.equal([0, ROWS]);
  });

  it('ends between two batches where it is not its any more', async () => {
    const { db } = harness.ctx;
    const holds = async () => {
      if ((await left()) < ROWS) throw new Error('taken over');
    };
    expect(await refusal(remove(holds))).to.equal('taken over');
    expect(await left()).to.equal(ROWS - BATCH_ROWS);
    expect(await db('merchants').where({ id: harness.merchant.id }).select('id')).to.have.lengthOf(1);
  });
});
