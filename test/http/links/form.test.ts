import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { buyByLink, createLink, postLink } from '../../support/links.ts';

describe('the form of a payment link', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const payments = () => harness.ctx.db('payments').select<{ pay_amount: string }[]>();

  it('takes an amount as people write it, and none that could be read in two ways', async () => {
    const link = await createLink(harness, { open_amount: { min: '0.5', max: '500' } });
    for (const amount of ['7,25', '007.25', '8.', '.75', ' 9 '])
      expect(await buyByLink(harness, link, { amount }), amount).to.be.a('string');
    const bought = (await payments()).map(({ pay_amount }) => pay_amount);
    expect(bought).to.have.members(['7.25', '7.25', '8', '0.75', '9']);
    for (const amount of [
      '1,000',
      '1.000,5',
      '７',
      '٧',
      '+7',
      '7e0',
      '0x7',
      '7_0',
      '7 0',
      '.',
      ',',
      '0',
      '0.0',
      'Infinity',
      `7.${'0'.repeat(19)}`,
    ])
      expect(await buyByLink(harness, link, { amount }), amount).to.equal(null);
    expect(await payments()).to.have.length(5);
  });

  it('is bought from while others post forms that can create no payment', async () => {
    const limited = await createHarness({ RATE_LIMIT_SCALE: '0.2', TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const link = await createLink(limited, { stock: 100 });
      const from = (address: number, form: object) =>
        postLink(limited, link, form).set('X-Forwarded-For', `192.0.2.${address}`);
      // Twelve a minute of a link: here two of each of twelve addresses.
      const statuses: number[] = [];
      for (let address = 1; address <= 6; address += 1)
        for (const price of ['0', '7']) {
          const nonce = `${address}${price}`.padStart(32, '0');
          statuses.push((await from(address, { nonce, price: '7' })).status);
        }
      expect(statuses).to.deep.equal(Array(12).fill(400));
      for (let address = 11; address <= 16; address += 1)
        for (const click of [1, 2]) {
          const nonce = `${address}${click}`.padStart(32, '0');
          statuses.push((await from(address, { nonce, price: '0' })).status);
        }
      expect(statuses.slice(12).toSorted((a, b) => a - b)).to.deep.equal([
        ...Array<number>(6).fill(303),
        ...Array<number>(6).fill(429),
      ]);
      const buyer = await from(20, { nonce: 'b'.repeat(32), price: '0' });
      expect(buyer.status).to.equal(303);
    } finally {
      await limited.close();
    }
  });

  it('takes a limited number of payments in a minute, whoever asks', async () => {
    const limited = await createHarness({ RATE_LIMIT_SCALE: '0.2', TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const link = await createLink(limited);
      const statuses: number[] = [];
      for (let address = 1; address <= 13; address += 1) {
        const form = { nonce: String(address).padStart(32, '0'), price: '0' };
        const { status } = await postLink(limited, link, form).set('X-Forwarded-For', `192.0.2.${address}`);
        statuses.push(status);
      }
      expect(statuses).to.deep.equal([...Array<number>(12).fill(303), 429]);
    } finally {
      await limited.close();
    }
  });
});
