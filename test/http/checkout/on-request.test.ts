import { expect } from 'chai';
import supertest from 'supertest';
import { COINS_ON_NETWORKS } from '../../../src/domain/chain/coins.ts';
import { NETWORKS } from '../../../src/domain/chain/networks.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

/** The networks that a page offers where its merchant has named them. */
const ON_REQUEST = ['base', 'arbitrum', 'optimism', 'bnb'] as const;

describe('networks on request', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  /** The methods that the page of a new payment offers, as COIN/network. */
  const offeredTo = async (apiKey: string) => {
    const payment = { pay_amount: '10.50', order_id: 'order-1' };
    const { body } = await harness.api('post', '/v1/payment', apiKey).send(payment).expect(201);
    const { text } = await supertest(harness.app).get(`/checkout/${(body as { token_id: string }).token_id}`);
    const forms = text.matchAll(
      /name="coin" value="(\w+)"\s*\/?><input\s+type="hidden"\s+name="network"\s+value="(\w+)"/g,
    );
    return { text, methods: [...forms].map(([, coin, network]) => `${coin}/${network}`) };
  };

  it('are not on the page of a merchant who has chosen nothing', async () => {
    const { apiKey } = await harness.addMerchant();
    const { methods } = await offeredTo(apiKey);
    expect(methods).to.include('USDC/polygon').and.include('ETH/ethereum');
    for (const network of ON_REQUEST)
      expect(methods.filter((method) => method.endsWith(`/${network}`))).to.deep.equal([]);
  });

  for (const network of ON_REQUEST)
    it(`${network}: is there for who settles on it, beside all others`, async () => {
      const { apiKey } = await harness.addMerchant({ network });
      const { text, methods } = await offeredTo(apiKey);
      expect(text).to.match(/id="address"/);
      expect(text).to.include(NETWORKS[network].name).and.include(NETWORKS[network].exchangeName);
      expect(methods).to.include(`USDC/${network}`).and.include('USDC/polygon');
    });

  it('are there for who has named them, with every coin that they have', async () => {
    const { apiKey } = await harness.addMerchant();
    const named = COINS_ON_NETWORKS.filter(({ network }) =>
      (ON_REQUEST as readonly string[]).includes(network),
    );
    await harness
      .api('put', '/v1/checkout/appearance', apiKey)
      .send({ methods: [{ coin: 'USDC', network: 'ethereum' }, ...named] })
      .expect(200);
    const { methods } = await offeredTo(apiKey);
    for (const coin of ['ETH', 'USDT', 'USDC', 'BNB'])
      expect(
        methods.some((method) => method.startsWith(`${coin}/`)),
        coin,
      ).to.equal(true);
  });
});
