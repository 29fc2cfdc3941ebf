import { expect } from 'chai';
import supertest from 'supertest';
import { postScenario } from '../../support/scenarios.ts';
import { CUSTOMER, openReceiptScene, type ReceiptScene } from '../../support/receipts.ts';
import { statementsOf } from '../../support/statements.ts';

const PERSON = {
  'Accept-Language': 'de-AT,en;q=0.5',
  'User-Agent': 'Mozilla/5.0 (X11; Linux) Firefox/140.0',
};

describe('the language of a receipt', () => {
  let scene: ReceiptScene;
  beforeEach(async () => {
    scene = await openReceiptScene();
  });
  afterEach(() => scene.close());

  const open = async (
    id: string,
    query = '',
    headers: Record<string, string> = PERSON,
    method: 'get' | 'head' = 'get',
  ) => {
    const { token_id } = await scene.shop.payment(id);
    await supertest(scene.harness.app)[method](`/checkout/${token_id}${query}`).set(headers).expect(200);
  };
  const created = () => scene.shop.create({ customer_email: CUSTOMER });
  const languageOf = async (id: string) => (await scene.shop.payment(id)).language;

  it('is the one in which the customer saw the page last', async () => {
    const { shop, harness } = scene;
    const id = await created();
    await open(id, '?lang=fr');
    await open(id);
    await shop.pay(id);
    await harness.work();
    await shop.mine(12);
    await open(id, '?lang=ar');
    await shop.refund(id);
    await harness.work();
    expect(scene.mails().map(({ headers }) => headers.get('subject'))).to.deep.equal([
      '[TEST] Quittung von Shop: Bestellung order-1',
      '[TEST] إعادة مبلغ من Shop: الطلب order-1',
    ]);
    expect(scene.mails()[0]?.text).to.include('Zeitpunkt: 31. Januar 2026 um 12:00 UTC');
  });

  it('is recorded once, and changes nothing else of the payment', async () => {
    const id = await created();
    const { language: _none, ...before } = await scene.shop.payment(id);
    const recorded = async () =>
      (await statementsOf(() => open(id))).filter((statement) => statement === 'record_language');
    expect(await recorded()).to.have.length(1);
    expect(await recorded()).to.have.length(0);
    expect(await scene.shop.payment(id)).to.deep.equal({ ...before, language: 'de' });
    expect(await scene.shop.events(id)).to.have.length(1);
  });

  it('is not recorded without an address of the customer, and costs such a page nothing', async () => {
    const id = await scene.shop.create();
    expect(await statementsOf(() => open(id))).to.not.include('record_language');
    expect(await languageOf(id)).to.equal(null);
  });

  const VIEWS: [string, Record<string, string>, 'get' | 'head'][] = [
    ['HEAD', PERSON, 'head'],
    ['a prefetched page', { ...PERSON, 'Sec-Purpose': 'prefetch;prerender' }, 'get'],
    ['a bot', { ...PERSON, 'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1)' }, 'get'],
    ['a request without Accept-Language', {}, 'get'],
  ];
  for (const [name, headers, method] of VIEWS)
    it(`is not recorded for ${name}`, async () => {
      const id = await created();
      await open(id, '', headers, method);
      expect(await languageOf(id)).to.equal(null);
    });

  it('is recorded for a phone whose maker has a name like a bot', async () => {
    const id = await created();
    await open(id, '', { ...PERSON, 'User-Agent': 'Mozilla/5.0 (Linux; Android 14; CUBOT X70)' });
    expect(await languageOf(id)).to.equal('de');
  });

  it('delays no page while a transition locks the payment, and fails none', async () => {
    const id = await created();
    await scene.harness.ctx.db.transaction(async (tx) => {
      await tx.raw('SELECT FROM payments FOR UPDATE');
      await open(id);
    });
    expect(await languageOf(id)).to.equal(null);
    await scene.harness.ctx.db.raw(`ALTER TABLE payments ADD CHECK (language <> 'de')`);
    await open(id);
    await open(id, '?lang=fr');
    expect(await languageOf(id)).to.equal('fr');
  });
});

describe('a story', () => {
  it('sends no receipt, also when a worker continues it, and runs as without an address', async () => {
    const scene = await openReceiptScene();
    const { harness } = scene;
    try {
      const payment = { pay_amount: '10.50' };
      const script = [
        { at: '1m', do: 'transfer' },
        { at: '1h', do: 'refund', amount: '4' },
      ];
      const stable = { script, ids: 'stable' };
      const { report, text } = await postScenario(harness, {
        ...stable,
        payment: { ...payment, customer_email: CUSTOMER },
      });
      expect(report.payment.status).to.equal('SETTLED');
      expect((await postScenario(harness, { ...stable, payment })).text).to.equal(text);
      const { rows } = (await harness.ctx.db.raw('SELECT id FROM payments ORDER BY id LIMIT 1')) as {
        rows: { id: string }[];
      };
      await harness.api('post', `/v1/payment/${rows[0]?.id}/refund`).send({}).expect(201);
      await harness.work();
      expect((await scene.shop.payment(rows[0]?.id ?? '')).status).to.equal('REFUNDED');
      expect(scene.mails()).to.deep.equal([]);
    } finally {
      await scene.close();
    }
  });
});
