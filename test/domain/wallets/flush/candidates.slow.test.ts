import { expect } from 'chai';
import { findCandidates } from '../../../../src/domain/wallets/flush/candidates.ts';
import { markSeen, recordLooks } from '../../../../src/domain/wallets/flush/store.ts';
import { storeRates } from '../../../../src/domain/chain/rates/store.ts';
import { openDb, type Connection, type Db } from '../../../../src/platform/postgres/db.ts';
import { explain, rowsRead } from '../../../support/explain.ts';
import { createHarness, type Harness } from '../../../support/harness.ts';
import { openRealNetwork } from '../../../support/real-network.ts';
import { openShop } from '../../../support/shop.ts';
import { useWallet } from '../../../support/wallets.ts';

/** Payments, with as many live transfers each; of the last ones the money has not left. */
const [PAYMENTS, EACH, HELD] = [20_000, 5, 100];
const FINAL = 1_000_000;

describe(`with ${PAYMENTS * EACH} live transfers, of which ${HELD * EACH} are not moved`, function () {
  this.timeout(600_000);
  let harness: Harness;
  let db: Db;
  before(async () => {
    harness = await createHarness();
    const merchant = await harness.addMerchant({ mode: 'live' });
    await useWallet(harness.ctx, merchant.id, { kind: 'forwarder' });
    const id = await openRealNetwork(harness, await openShop(harness)).create({}, merchant);
    const url = harness.ctx.config.databaseUrl;
    db = openDb({ url, poolSize: 1, acquireMs: 10_000, queryMs: 600_000, name: 'fixture' });
    await multiply(db, id);
    await storeRates(db, new Map([['USDC', { usd: '1', sources: ['a', 'b'], at: harness.ctx.now() }]]));
  });
  after(async () => {
    await db.destroy();
    await harness.close();
  });

  const search = async (connection: Connection) =>
    findCandidates(connection, {
      network: 'ethereum',
      finalHeight: FINAL,
      minUsd: '0',
      limit: 500,
      refused: ['wal_of_nobody'],
      ids: null,
      now: harness.ctx.now(),
    });

  it('finds addresses with money by its index, and reads nothing of the others', async () => {
    const plans = await explain(db, async (tx) => {
      const found = await search(tx);
      expect(found).to.have.length(HELD);
      expect(found[0]?.amounts).to.deep.equal({ USDC: '10' });
    });
    expect(plans).to.have.length(2);
    for (const plan of plans) {
      expect(plan).to.include('transfers_held');
      for (const table of ['transfers', 'payments', 'quotes', 'flushed_deposits', 'flush_looks'])
        expect(rowsRead(plan, table), `${table}: ${plan}`).to.be.at.most(HELD * EACH);
    }
  });

  it('marks what has left by its keys', async () => {
    const ids = (await search(db)).map(({ payment_id }) => payment_id);
    const now = harness.ctx.now();
    const seen = ids.map((payment_id) => ({ payment_id, coin: 'USDC', empty_at: FINAL }));
    const plans = await explain(db, async (tx) => {
      await markSeen(tx, 'ethereum', seen, now);
      await recordLooks(tx, 'ethereum', ids, FINAL);
      expect(await search(tx)).to.deep.equal([]);
    });
    for (const plan of plans)
      for (const table of ['transfers', 'payments'])
        expect(rowsRead(plan, table), `${table}: ${plan}`).to.be.at.most(2 * HELD * EACH);
  });
});

/** Copies a payment; all money but that of the last ones has left. */
async function multiply(db: Db, id: string): Promise<void> {
  const copy = (table: string, changed: string, where: string) =>
    db.raw(
      `INSERT INTO ${table} OVERRIDING USER VALUE
       SELECT (jsonb_populate_record(r, jsonb_build_object(${changed}))).*
       FROM ${table} r, generate_series(1, ${PAYMENTS}) AS i WHERE ${where}`,
    );
  const own = `'pay_01KF' || lpad(i::text, 22, '0')`;
  await copy(
    'payments',
    `'id', ${own}, 'token_id', 'copy' || i, 'deposit_index', 1000 + i`,
    `r.id = '${id}'`,
  );
  await copy(
    'quotes',
    `'payment_id', ${own}, 'address', '0x' || lpad(i::text, 40, '0')`,
    `r.payment_id = '${id}'`,
  );
  await db.raw(
    `INSERT INTO transfers (payment_id, network, tx_hash, coin, amount, credit, seen_at, is_live,
       block_height, has_left)
     SELECT ${own}, 'ethereum', i || '/' || j, 'USDC', 2, 2, now(), true, i, i <= ${PAYMENTS - HELD}
     FROM generate_series(1, ${PAYMENTS}) AS i, generate_series(1, ${EACH}) AS j`,
  );
  await db.raw(
    `INSERT INTO flushed_deposits (payment_id, network, coin, empty_at)
     SELECT ${own}, 'ethereum', 'USDC', ${FINAL} FROM generate_series(1, ${PAYMENTS - HELD}) AS i`,
  );
  await db.raw('VACUUM ANALYZE');
}
