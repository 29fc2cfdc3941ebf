import { expect } from 'chai';
import type { ChainPage } from '../../../../src/domain/chain/port.ts';
import { run, sql } from '../../../../src/platform/postgres/db.ts';
import { eachShop } from '../../../support/each-shop.ts';
import type { Harness } from '../../../support/harness.ts';
import { openRealNetwork, type RealNetwork } from '../../../support/real-network.ts';
import type { Shop } from '../../../support/shop.ts';

const finalitiesOf = sql<{ finality: string }>(
  'test_finalities',
  'SELECT finality FROM transfers WHERE payment_id = $1 ORDER BY place',
);

describe('the finality of a transfer on a real network', () => {
  let harness: Harness;
  let shop: Shop;
  let real: RealNetwork;
  const env = { CONFIRMATIONS_ETHEREUM: '0=2,100=safe,1000=finalized' };
  eachShop((opened) => {
    ({ harness, shop } = opened);
    real = openRealNetwork(harness, shop);
  }, env);

  /** Pages say this of the chain: the transfer's block has so many above it, and checkpoints lag. */
  const at = (above: number, final: number, safe: number) =>
    real.tell((page: ChainPage) => ({
      ...page,
      head: { ...page.head, height: 1 + above },
      finalHeight: 1 + final,
      safeHeight: 1 + safe,
    }));
  const paid = async (amount: string) => {
    const id = await real.create({ pay_amount: amount });
    await real.pay(id, { amount });
    await real.mine(1);
    return id;
  };
  const twice = async () => {
    await real.sync();
    await real.sync();
  };

  it('is a number of blocks, the safe block or the final block, by the amount', async () => {
    const [few, safe, final] = [await paid('99'), await paid('100'), await paid('1000')];
    await shop.chain.mine('ethereum', 1, new Date(0));
    const statuses = () => Promise.all([few, safe, final].map((id) => real.statusOf(id)));
    await real.sync();
    const heights = async (above: number, f: number, s: number) => {
      at(above, f, s);
      await twice();
    };
    await heights(0, -5, -5);
    expect(await statuses()).to.deep.equal(['PENDING', 'PENDING', 'PENDING']);
    await heights(9, -5, -5);
    expect(await statuses()).to.deep.equal(['PROCESSING', 'PENDING', 'PENDING']);
    await heights(20, -5, 9);
    expect(await statuses()).to.deep.equal(['PROCESSING', 'PROCESSING', 'PENDING']);
    await heights(30, 9, 20);
    expect(await statuses()).to.deep.equal(['PROCESSING', 'PROCESSING', 'PROCESSING']);
  });

  it('is told by events: so many confirmations, or null where a checkpoint decides', async () => {
    const required = async (id: string) =>
      new Set((await shop.events(id)).map(({ data }) => data.payment.requiredConfirmations));
    const [few, final] = [await paid('99'), await paid('1000')];
    await real.sync();
    expect(await required(few)).to.deep.equal(new Set([2]));
    expect(await required(final)).to.deep.equal(new Set([null]));
  });

  it('is that of all that came, where each transfer is a small part of it', async () => {
    const id = await real.create({ pay_amount: '50' });
    for (let paying = 0; paying < 11; paying += 1) {
      await real.pay(id, { amount: '99' });
      await real.sync();
    }
    const rows = await run(harness.ctx.db, finalitiesOf, [id]);
    expect(rows.map(({ finality }) => finality)).to.deep.equal([
      '2',
      ...Array<string>(9).fill('safe'),
      'finalized',
    ]);
  });

  it('is no depth and no checkpoint while a second provider must agree, for that transfer alone', async () => {
    const [sure, unsure] = [await paid('99'), await paid('100')];
    await real.sync();
    const { tx_hash } = await shop.payment(unsure);
    const page = (waiting: readonly string[]) => {
      real.tell((told) => ({ ...told, head: { ...told.head, height: 30 }, safeHeight: 29, unsure: waiting }));
      return twice();
    };
    await page([String(tx_hash)]);
    expect([await real.statusOf(sure), await real.statusOf(unsure)]).to.deep.equal(['PROCESSING', 'PENDING']);
    await page([]);
    expect(await real.statusOf(unsure)).to.equal('PROCESSING');
  });

  it('is that of the price where the transfer is a small part of it', async () => {
    const id = await real.create({ pay_amount: '1000' });
    await real.pay(id, { amount: '1' });
    await real.sync();
    expect((await shop.payment(id)).finality).to.equal('finalized');
  });
});
