import { expect } from 'chai';
import supertest from 'supertest';
import { announceTransactionByToken } from '../../../src/domain/checkout/actions/announce-transaction.ts';
import { syncNetwork } from '../../../src/domain/payments/sync/sync-network.ts';
import { paymentIn, SENT_HASH } from '../../support/checkout.ts';
import { createPayment, type Payment } from '../../support/http.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** The test network of Ethereum, which simulated payments name, and that of Polygon. */
const [SEPOLIA, AMOY] = ['0xaa36a7', '0x13882'];
const OTHER_HASH = `0x${'cd'.repeat(32)}`;

describe('a transaction that a wallet has sent, named to the checkout page', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const open = async ({ token_id }: Payment, query = '') =>
    (await supertest(harness.app).get(`/checkout/${token_id}${query}`).expect(200)).text;
  const announce = ({ token_id }: Payment, tx: unknown, chain: unknown = SEPOLIA) =>
    supertest(harness.app).post(`/checkout/${token_id}/transaction`).type('form').send({ tx, chain });
  const status = async ({ token_id }: Payment) =>
    (await supertest(harness.app).get(`/checkout/${token_id}/status`)).body as Record<string, string>;
  const kept = ({ id }: Payment) =>
    harness.ctx
      .db('announced_transactions')
      .where({ payment_id: id })
      .first('network', 'tx_hash', 'times') as Promise<unknown>;
  const says = 'Sent. Waiting for the network';
  /** Pays on the simulated chain, which nobody has read yet. */
  const send = async ({ id }: Payment, amount = '10.5') => {
    const row = (await harness.ctx.db('payments').where({ id }).first('address')) as { address: string };
    const request = { network: 'ethereum', coin: 'USDC', address: row.address, amount } as const;
    const chain = harness.adapters.testChain(harness.ctx);
    const [sent] = await chain.send(harness.ctx.db, [request], harness.ctx.now());
    return sent?.txHash ?? '';
  };

  it('is the state of every page: its hash in view, amount, address and code behind a disclosure', async () => {
    const payment = await createPayment(harness);
    const before_ = await status(payment);
    const { text } = await announce(payment, SENT_HASH).expect(200);
    for (const page of [text, await open(payment)]) {
      expect(page).to.include(says).and.include(`<code class="copy hash" dir="ltr">${SENT_HASH}</code>`);
      const [shown = '', away = ''] = page.split('<details id="unsent">');
      expect(away).to.include('Not sent? Show them');
      for (const id of ['amount', 'address', 'wallet', 'code-bare', 'injected']) {
        expect(shown, id).to.not.include(`id="${id}"`);
        expect(away, id).to.include(`id="${id}"`);
      }
      expect(page).to.include('data-code="false"').and.not.include('id="found"');
    }
    expect(await open(payment, '?lang=de')).to.include('Gesendet. Wir warten auf das Netzwerk');
    const after_ = await status(payment);
    expect(after_).to.include({ status: 'WAITING', state: 'sent' });
    expect(after_.version, 'open pages follow').to.not.equal(before_.version);
  });

  it('names the network that the wallet sent it on, which another choice of a coin does not change', async () => {
    const payment = await createPayment(harness);
    await announce(payment, SENT_HASH, AMOY).expect(200);
    expect(await kept(payment)).to.deep.equal({ network: 'polygon', tx_hash: SENT_HASH, times: 1 });
    expect(await open(payment)).to.match(/as soon as <bdi[^>]*>Polygon<\/bdi> does/);
  });

  it('is looked up: what pays this payment is seen at once, and then the chain says what came', async () => {
    const payment = await createPayment(harness);
    const hash = await send(payment);
    const { text } = await announce(payment, hash.toUpperCase().replace('0X', '0x')).expect(200);
    expect(text).to.include('We have seen your payment').and.include(hash).and.not.include(says);
  });

  it('is over when its chain reports it, also with too little: the page asks for the rest', async () => {
    const payment = await createPayment(harness);
    const hash = await send(payment, '4');
    await harness.ctx
      .db('announced_transactions')
      .insert({ payment_id: payment.id, network: 'ethereum', tx_hash: hash });
    expect(await open(payment)).to.include(says);
    await syncNetwork(harness.ctx, harness.adapters, 'ethereum');
    expect(await open(payment))
      .to.include('Part of your payment is here')
      .and.not.include('id="unsent"');
    await announce(payment, SENT_HASH).expect(200);
    const rest = await open(payment);
    expect(rest).to.include(says).and.include(SENT_HASH).and.include(hash).and.include('Still to send');
  });

  it("is not kept where it pays elsewhere: another payment's, or one that was replaced", async () => {
    const [payment, other] = [await createPayment(harness), await createPayment(harness)];
    const [hash, replaced] = [await send(other), await send(payment)];
    await harness.adapters.testChain(harness.ctx).replace(replaced, harness.ctx.now());
    for (const [tx, answer] of [
      [hash, 'pays another address'],
      [replaced, 'replaced or cancelled by its wallet'],
    ] as const)
      expect((await announce(payment, tx).expect(200)).text).to.include(answer);
    expect(await kept(payment)).to.equal(undefined);
    expect(await open(payment)).to.not.include(says);
  });

  it('is over when its chain says that it is lost for good: the page asks again, and says why', async () => {
    for (const isLookedUp of [true, false]) {
      const payment = await createPayment(harness);
      const hash = await send(payment);
      await harness.ctx
        .db('announced_transactions')
        .insert({ payment_id: payment.id, network: 'ethereum', tx_hash: hash });
      await harness.adapters.testChain(harness.ctx).replace(hash, harness.ctx.now());
      expect(await open(payment)).to.include(says);
      const looking = supertest(harness.app).post(`/checkout/${payment.token_id}/transaction`).type('form');
      await (isLookedUp ? looking.send({ tx: hash }) : announce(payment, hash));
      for (const query of ['', '?lang=ja']) {
        const page = await open(payment, query);
        expect(page).to.include('id="amount"').and.include('data-code="true"').and.not.include('id="unsent"');
        expect(page).to.include(
          query === '' ? 'was replaced, cancelled or refused' : 'もう一度お支払いください',
        );
      }
      expect((await status(payment)).state).to.equal('waiting');
    }
  });

  it('is awaited on while it is merely absent', async () => {
    const payment = await createPayment(harness);
    await announce(payment, SENT_HASH).expect(200);
    await supertest(harness.app)
      .post(`/checkout/${payment.token_id}/transaction`)
      .type('form')
      .send({ tx: SENT_HASH });
    expect(await open(payment)).to.include(says);
  });

  for (const [what, tx, chain] of [
    ['no hash', 'ab', SEPOLIA],
    ['a hash of another format', 'a1'.repeat(44), SEPOLIA],
    ['markup', `<img src=x onerror=alert(1)>`, SEPOLIA],
    ['several hashes', [SENT_HASH, OTHER_HASH], SEPOLIA],
    ['the main network, whose money would be real', SENT_HASH, '0x1'],
    ['no chain', SENT_HASH, 'constructor'],
    ['an empty chain', SENT_HASH, ''],
  ] as const)
    it(`is refused with ${what}, and nothing is kept`, async () => {
      const payment = await createPayment(harness);
      const { text } = await announce(payment, tx, chain).expect(400);
      expect(text).to.include('Waiting for your payment').and.not.include('onerror');
      expect(await kept(payment)).to.equal(undefined);
    });

  it('is refused with a chain that is not served: nobody would ever report it', async () => {
    const payment = await createPayment(harness);
    const adapters = { ...harness.adapters, networks: ['ethereum'] as const };
    const named = (chain: string) =>
      announceTransactionByToken(harness.ctx, adapters, payment.token_id, { tx: SENT_HASH, chain });
    expect((await named(AMOY))?.result).to.equal('bad');
    expect(await kept(payment)).to.equal(undefined);
    expect((await named(SEPOLIA))?.result).to.equal('unknown');
  });

  it('changes nothing once no money is asked for, and a payment that nobody has is no page', async () => {
    for (const state of ['seen', 'settled', 'expired', 'cancelled', 'refunded']) {
      const payment = await paymentIn(harness, state);
      await announce(payment, SENT_HASH).expect(200);
      expect(await kept(payment), state).to.equal(undefined);
    }
    const nobody = { ...(await createPayment(harness)), token_id: 'A'.repeat(32) };
    await announce(nobody, SENT_HASH).expect(404);
  });

  it('is written once however often it is named, and whoever names others writes twenty at most', async () => {
    const payment = await createPayment(harness);
    for (const _ of [1, 2, 3]) await announce(payment, SENT_HASH).expect(200);
    expect(await kept(payment)).to.deep.equal({ network: 'ethereum', tx_hash: SENT_HASH, times: 1 });
    const hashOf = (index: number) => `0x${String(index).padStart(64, '0')}`;
    for (let index = 1; index <= 25; index += 1) await announce(payment, hashOf(index)).expect(200);
    expect(await kept(payment)).to.deep.equal({ network: 'ethereum', tx_hash: hashOf(19), times: 20 });
  });

  it('holds neither price nor deadline: whoever has the link could name any', async () => {
    const payment = await createPayment(harness);
    const read = () =>
      harness.ctx.db('payments').where({ id: payment.id }).first('deadline_at', 'status', 'sequence');
    const before_ = await read();
    await announce(payment, SENT_HASH).expect(200);
    expect(await read()).to.deep.equal(before_);
  });
});
