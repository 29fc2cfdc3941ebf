import { expect } from 'chai';
import { joinDesk, type DeskBrowser, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';
import { refundRow } from '../../support/refunds.ts';

describe('the note that a wallet is asked to pay a refund', () => {
  const AN_HOUR = 3_600;
  let harness: Harness;
  let [ann, bob]: DeskPerson[] = [];
  let path: string;
  let refundId: string;
  beforeEach(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example');
    bob = await joinDesk(harness, 'bob@shop.example');
    const { id } = await createPayment(harness);
    const row = refundRow(id, harness.ctx.now(), { status: 'AWAITING_SIGNATURE' });
    await harness.ctx.db('refunds').insert(row);
    refundId = row.id;
    path = `/dashboard/${harness.merchant.id}/payments/${id}/refunds/${row.id}/wallet`;
  });
  afterEach(() => harness.close());

  const noted = async () =>
    harness.ctx
      .db('refunds')
      .where({ id: refundId })
      .first<{ by: string | null; at: Date | null }>('wallet_asked_by as by', 'wallet_asked_at as at');
  const ask = async (browser: DeskBrowser | undefined) => (await browser?.post(path))?.status;
  const release = async (browser: DeskBrowser | undefined) => {
    const { at } = await noted();
    return (await browser?.post(path, { asked_at: String(at?.getTime() ?? '') }))?.status;
  };

  it('is taken back by who holds it alone', async () => {
    expect(await ask(ann)).to.equal(303);
    expect(await release(bob)).to.equal(409);
    expect((await noted()).by).to.equal(ann?.id);
    expect(await release(ann)).to.equal(303);
    expect((await noted()).by).to.equal(null);
  });

  it('is taken back by anybody who may refund once an hour has passed', async () => {
    await ask(ann);
    harness.advance(AN_HOUR - 1);
    expect(await release(bob)).to.equal(409);
    harness.advance(1);
    expect(await release(bob)).to.equal(303);
    expect((await noted()).by).to.equal(null);
  });
});
