import { expect } from 'chai';
import supertest from 'supertest';
import { openAttack, type Attack } from '../../../support/attack.ts';
import { expectError } from '../../../support/http.ts';
import { openShop, type Shop } from '../../../support/shop.ts';

const MINE = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const ANOTHER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const USDC = { coin: 'USDC', network: 'ethereum' } as const;

describe('no refund without an address that can take it', () => {
  let attack: Attack;
  let live: Shop;
  before(async () => {
    attack = await openAttack();
    live = await openShop(attack.harness, await attack.harness.addMerchant({ mode: 'live' }));
  });
  after(() => attack.close());

  /** A settled payment of 10.00, paid by transfers from these senders. */
  const settled = async (shop: Shop, ...senders: (string | null)[]): Promise<string> => {
    const id = await shop.create({ pay_amount: '10.00' });
    const amount = String(10 / senders.length);
    for (const sender of senders) await shop.send(id, { ...USDC, amount, sender });
    await attack.pass(14);
    expect((await shop.payment(id)).status).to.equal('SETTLED');
    return id;
  };
  /** Both steps of the page's form. */
  const give = async (shop: Shop, id: string, address: string) => {
    const { token_id } = await shop.payment(id);
    const post = (form: object) =>
      supertest(attack.harness.app).post(`/checkout/${token_id}/refund-address`).type('form').send(form);
    const { text } = await post({ address });
    return post({ address, confirmed: /name="confirmed" value="([^"]*)"/.exec(text)?.[1] });
  };

  it('a test payment goes back to its only sender', async () => {
    const id = await settled(attack.shop, MINE);
    expect(await attack.shop.refund(id)).to.include({ status: 'PENDING', address: MINE });
  });

  for (const [what, senders] of [
    ['two senders', [MINE, ANOTHER]],
    ['a sender that the chain does not name', [null]],
  ] as const)
    it(`${what}: the page asks, and the refund waits as NEEDS_ADDRESS until then`, async () => {
      const { shop, pass, refunds } = attack;
      const id = await settled(shop, ...senders);
      expect(await shop.refund(id)).to.include({ status: 'NEEDS_ADDRESS', address: null, tx_hash: null });
      await pass(3);
      expect((await refunds(id))[0]).to.include({ status: 'NEEDS_ADDRESS' });
      expect((await shop.payment(id)).status).to.equal('SETTLED');
      expect((await give(shop, id, MINE)).status).to.equal(303);
      expect((await refunds(id))[0]).to.include({ status: 'PENDING', address: MINE });
      await pass(1);
      const [refund] = await refunds(id);
      expect(refund).to.include({ status: 'COMPLETED', address: MINE });
      expect(refund?.tx_hash).to.match(/^0x/);
      expect((await shop.payment(id)).status).to.equal('REFUNDED');
      expect((await give(shop, id, ANOTHER)).status).to.equal(409);
    });

  it('money in two coins has no one sender', async () => {
    const { shop, pass } = attack;
    const id = await shop.create({ pay_amount: '10.00' });
    await shop.send(id, { ...USDC, amount: '5', sender: MINE });
    await pass(1);
    await shop.send(id, { coin: 'ETH', network: 'ethereum', amount: '0.00166667', sender: MINE });
    await pass(14);
    expect(await shop.payment(id)).to.include({ status: 'SETTLED' });
    expect(await shop.refund(id)).to.include({ status: 'NEEDS_ADDRESS', address: null });
  });

  it('a live payment goes back to its sender only where the merchant says so', async () => {
    const first = await settled(live, MINE);
    expect(await live.refund(first)).to.include({ status: 'NEEDS_ADDRESS', address: null });
    const second = await settled(live, MINE);
    expect(await live.refund(second, { to_sender: true })).to.include({ status: 'PENDING', address: MINE });
    const third = await settled(live, MINE, ANOTHER);
    expect(await live.refund(third, { to_sender: true })).to.include({ status: 'NEEDS_ADDRESS' });
    const fourth = await settled(live, MINE);
    expect(await live.refund(fourth, { address: ANOTHER })).to.include({
      status: 'PENDING',
      address: ANOTHER,
    });
  });

  it("an address of another network, and the payment's own, are refused", async () => {
    const { harness, shop, refunds } = attack;
    const id = await settled(shop, MINE);
    const { address: own } = await shop.payment(id);
    for (const address of ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', `${MINE.slice(0, -1)}D`, own]) {
      const answer = await harness.api('post', `/v1/payment/${id}/refund`).send({ address });
      expectError(harness, answer, 400, { field: 'address', constraint: 'format' });
    }
    expect(await refunds(id)).to.deep.equal([]);
  });
});
