import { expect } from 'chai';
import { setTimeZone } from '../../../src/domain/merchants/time-zone.ts';
import { hiddenField, joinDesk, type DeskPerson } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment } from '../../support/http.ts';

/** January 29 in Tokyo begins at 15:00 UTC of the day before. */
const TIMES = {
  before: '2026-01-28T14:59:59.999Z',
  first: '2026-01-28T15:00:00.000Z',
  last: '2026-01-29T14:59:59.999Z',
  after: '2026-01-29T15:00:00.000Z',
};
const DAY = 'from_date=2026-01-29&to_date=2026-01-29';

describe('days at the desk of a shop in Tokyo', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness();
    ann = await joinDesk(harness, 'ann@shop.example', { role: 'read-only' });
    await setTimeZone(harness.ctx.db, harness.merchant.id, 'Asia/Tokyo');
    for (const [order_id, at] of Object.entries(TIMES)) {
      const { id } = await createPayment(harness, { order_id });
      await harness.ctx
        .db('payments')
        .where({ id })
        .update({ created_at: new Date(at) });
    }
  });
  afterEach(() => harness.close());

  const home = () => `/dashboard/${harness.merchant.id}`;
  const ordersOn = (text: string) =>
    [...text.matchAll(/<bdi>(before|first|last|after)<\/bdi>/g)].map(([, one]) => one);
  const listed = async (query: string) => ordersOn((await ann.get(`${home()}/payments?${query}`)).text);
  const download = async (fields: Readonly<Record<string, string>>) => {
    const wanted = { kind: 'payments', format: 'ndjson', currency: 'USD', ...fields };
    const { text, headers } = await ann.post(`${home()}/exports`, wanted);
    const orders = [...text.matchAll(/"order_id":"(\w+)"/g)].map(([, one]) => one);
    return { orders, file: /filename="([^"]+)"/.exec(headers['content-disposition'] ?? '')?.[1] };
  };

  it('are those of Tokyo in the list, which names them, and in a kept view', async () => {
    const { text } = await ann.get(`${home()}/payments?${DAY}`);
    expect(ordersOn(text)).to.have.members(['first', 'last']);
    expect(text).to.include('Days are those of Asia/Tokyo').and.include('name="from_date"');
    expect(await listed('from_date=2026-01-30')).to.deep.equal(['after']);
    expect(await listed('to_date=2026-01-28')).to.deep.equal(['before']);
    const { location = '' } = await ann.post(`${home()}/payments/views`, { name: 'Thursday', filters: DAY });
    expect(ordersOn((await ann.get(location)).text)).to.have.members(['first', 'last']);
  });

  it('are those of Tokyo in the export of that list, and in one of days', async () => {
    const page = await ann.get(`${home()}/exports?${DAY}`);
    expect(page.text).to.include('Days are those of Asia/Tokyo').and.include('<bdi>2026-01-29</bdi>');
    const filters = hiddenField(page.text, 'filters').replaceAll('&#38;', '&');
    for (const fields of [{ filters }, { from: '2026-01-29', to: '2026-01-29' }] as Record<string, string>[])
      expect(await download(fields)).to.deep.equal({
        orders: ['first', 'last'],
        file: 'test-payments-2026-01-29-2026-01-29.ndjson',
      });
  });

  it('stay those of UTC in the API, and a time is that time at the desk as well', async () => {
    const { body } = await harness.api('get', `/v1/payments?${DAY}`).expect(200);
    const orders = (body as { data: { order_id: string }[] }).data.map(({ order_id }) => order_id);
    expect(orders).to.have.members(['last', 'after']);
    expect(await listed(`from_date=${TIMES.last}`)).to.have.members(['last', 'after']);
  });
});
