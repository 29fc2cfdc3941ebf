import { expect } from 'chai';
import supertest from 'supertest';
import { addressIn, paymentIn, setColumns } from '../../support/checkout.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { refundRow } from '../../support/refunds.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const HASH = `0x${'c7'.repeat(32)}`;
const PAID = 'Paid. Thank you!';

/** What the page says first, of a refund in each status. */
const SAYS = {
  NEEDS_ADDRESS: ['Your refund waits for an address', '2.00 USDC</bdi> goes back to you on'],
  PENDING: ['Your refund is being prepared', 'to the address below'],
  AWAITING_SIGNATURE: ['Your refund is being prepared', 'to the address below'],
  SENT: ['Your refund is on its way', 'It counts once the network has confirmed it.'],
  HELD: ['Your refund is being checked', 'There is nothing for you to do.'],
} as const;
type Open = keyof typeof SAYS;

describe('a refund on the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const open = async (token: string) =>
    (await supertest(harness.app).get(`/checkout/${token}`).expect(200)).text;
  const versionOf = async (token: string) =>
    (await supertest(harness.app).get(`/checkout/${token}/status`)).body as {
      version: string;
      is_live: boolean;
    };
  const withRefund = async (state: string, own: object) => {
    const payment = await paymentIn(harness, state);
    await harness.ctx.db('refunds').insert(refundRow(payment.id, harness.ctx.now(), own));
    return payment;
  };
  const columnsOf = (status: Open) => ({
    status,
    address: status === 'NEEDS_ADDRESS' ? null : MINE,
    tx_hash: status === 'SENT' || status === 'HELD' ? HASH : null,
  });

  for (const [status, [title, text]] of Object.entries(SAYS) as [Open, (typeof SAYS)[Open]][])
    it(`${status}: is the page's state, above that it was paid, and nobody is taken away`, async () => {
      const { token_id } = await withRefund('settled', columnsOf(status));
      const page = await open(token_id);
      expect(page).to.include(`<title>${title} ·`).and.include(text);
      expect(page.indexOf(`<h2>${title}`)).to.be.within(1, page.indexOf(`<h3>${PAID}`));
      expect(page).to.include('data-live="true"').and.not.include('id="stay"');
      expect(page.includes('name="address"')).to.equal(status === 'NEEDS_ADDRESS');
      if (status !== 'NEEDS_ADDRESS') expect(addressIn(page)).to.equal(MINE);
      expect(page.includes(HASH)).to.equal(status === 'SENT' || status === 'HELD');
      expect(page.includes('You may close this page.')).to.equal(status !== 'NEEDS_ADDRESS');
      expect(page).to.match(new RegExp(`class="status ${status === 'NEEDS_ADDRESS' ? 'care' : 'calm'}"`));
    });

  it('moves the page with each of its statuses, and its transaction', async () => {
    const { id, token_id } = await withRefund('settled', columnsOf('NEEDS_ADDRESS'));
    const versions = new Set([(await versionOf(token_id)).version]);
    for (const status of ['PENDING', 'AWAITING_SIGNATURE', 'SENT', 'HELD'] as const) {
      await harness.ctx.db('refunds').where({ payment_id: id }).update(columnsOf(status));
      versions.add((await versionOf(token_id)).version);
    }
    await harness.ctx
      .db('refunds')
      .where({ payment_id: id })
      .update({ tx_hash: `0x${'d8'.repeat(32)}` });
    versions.add((await versionOf(token_id)).version);
    expect(versions.size).to.equal(6);
    expect((await versionOf(token_id)).version, 'and stands still otherwise').to.equal([...versions].at(-1));
  });

  it('one that waits for an address comes before others', async () => {
    const { id, token_id } = await withRefund('settled', columnsOf('SENT'));
    const waiting = {
      ...refundRow(id, harness.ctx.now(), columnsOf('NEEDS_ADDRESS')),
      id: `ref_${'0'.repeat(26)}`,
    };
    await harness.ctx.db('refunds').insert(waiting);
    expect(await open(token_id)).to.include('<h2>Your refund waits for an address');
  });

  it('that was paid out is shown with amount, date, address and transaction, and is no longer followed', async () => {
    const completed_at = new Date('2026-01-31T12:30:00.000Z');
    const own = { status: 'COMPLETED', address: MINE, tx_hash: HASH, completed_at };
    const { id, token_id } = await withRefund('refunded', { ...own, coin_amount: '10.5', amount: '10.50' });
    const page = await open(token_id);
    expect(page).to.include('<h2>Your money was sent back</h2>').and.include('data-live="false"');
    expect(page).to.match(/<dt>Sent back<\/dt>\s*<dd><b><bdi dir="ltr">10\.50 USDC<\/bdi> on/);
    expect(page).to.match(/<dt>Sent back on<\/dt>\s*<dd><time datetime="2026-01-31T12:30:00\.000Z"/);
    expect(page)
      .to.match(/<dt>To address<\/dt>/)
      .and.match(new RegExp(`<dt>Transaction</dt>[^]*${HASH}`));
    expect(addressIn(page)).to.equal(MINE);
    expect(page).to.include(id);
    // Personal data were erased.
    await harness.ctx.db('refunds').where({ payment_id: id }).update({ address: null });
    expect(await open(token_id)).to.not.include('To address');
  });

  it('that is paid out in part stays with the payment, whose page takes nobody away', async () => {
    const own = { status: 'COMPLETED', address: MINE, tx_hash: HASH, completed_at: harness.ctx.now() };
    const { id, token_id } = await withRefund('settled', own);
    await setColumns(harness, id, { amount_refunded: '2' });
    const page = await open(token_id);
    expect(page).to.include(`<h2>${PAID}</h2>`).and.include(HASH).and.not.include('id="stay"');
  });
});
