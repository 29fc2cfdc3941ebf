import { expect } from 'chai';
import { createHarness, type Harness } from '../../support/harness.ts';
import { createPayment, pay } from '../../support/http.ts';
import { joinDesk, type DeskPerson } from '../../support/desk.ts';

const DAY = 86_400;

describe('the home page of a shop', () => {
  let harness: Harness;
  let ann: DeskPerson;
  beforeEach(async () => {
    harness = await createHarness({ SIMULATOR_BLOCK_SECONDS: '1' });
    ann = await joinDesk(harness, 'ann@shop.example');
  });
  afterEach(() => harness.close());

  const path = (rest = '') => `/dashboard/${harness.merchant.id}${rest}`;
  const home = async (query = '', who = ann) => {
    const { status, text } = await who.get(path(query));
    expect(status).to.equal(200);
    return text;
  };
  /** The rows of the table behind a chart, newest day first: their cells as text. */
  const tableOf = (text: string, title: string) => {
    const [, rows = ''] =
      new RegExp(`aria-label="${title}"[^>]*>\\s*<table>[^]*?<tbody>([^]*?)</tbody>`).exec(text) ?? [];
    return rows
      .split('</tr>')
      .slice(0, -1)
      .map((row) =>
        [...row.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
      );
  };
  /** Sessions end after 12 hours without use. */
  const later = async (seconds: number) => {
    harness.advance(seconds);
    ann = await joinDesk(harness, `later-${harness.ctx.now().getTime()}@shop.example`);
  };
  const setZone = (time_zone: string, who = ann) => who.post(path('/settings/time-zone'), { time_zone });

  it('leads a new one to the first steps, of which going live is one of a test shop', async () => {
    const text = await home();
    expect(text)
      .to.include('First steps')
      .and.include('href="/docs/quick-start"')
      .and.include('href="/docs/go-live"');
    expect(text).to.not.include('<svg');
    await createPayment(harness);
    expect(await home())
      .to.include('<svg')
      .and.not.include('First steps');
  });

  it('shows volume, conversion and time to settle by day, with a table behind each', async () => {
    const paid = await createPayment(harness, { pay_amount: '1234.50' });
    await createPayment(harness, { pay_amount: '7' });
    await pay(harness, paid.id);
    await later(DAY);
    await createPayment(harness);
    const text = await home('?days=7');
    expect(text.match(/<svg/g)).to.have.lengthOf(3);
    expect(text.match(/<title id=/g)).to.have.lengthOf(3);
    const volume = tableOf(text, 'Volume in USDC');
    expect(volume).to.have.lengthOf(7);
    expect(volume.slice(0, 2)).to.deep.equal([
      ['Sun, Feb 1', '0', '0 USDC'],
      ['Sat, Jan 31', '1', '1,234.5 USDC'],
    ]);
    expect(tableOf(text, 'From created to settled').slice(0, 3)).to.deep.equal([
      ['Sun, Feb 1', '1', '0', '0%'],
      ['Sat, Jan 31', '2', '1', '50%'],
      ['Fri, Jan 30', '0', '0', 'none'],
    ]);
    const [, [day, settled, half] = []] = tableOf(text, 'Time to settle');
    expect([day, settled]).to.deep.equal(['Sat, Jan 31', '1']);
    expect(half).to.match(/^\d+ (s|min)$/);
    expect(text).to.include('1 of 3 payments').and.include('33%');
  });

  it('has a chart for each settlement coin, and never adds two', async () => {
    const { id } = await createPayment(harness, { pay_amount: '10' });
    await pay(harness, id);
    await harness.ctx
      .db('merchants')
      .where({ id: harness.merchant.id })
      .update({ settlement_currency: 'USDT', settlement_network: 'tron' });
    const other = await createPayment(harness, { pay_amount: '4' });
    await harness.api('post', `/v1/sandbox/payments/${other.id}/transfers`).send({}).expect(201);
    for (let i = 0; i < 40; i += 1) {
      await harness.work();
      harness.advance(3);
    }
    const text = await home('?days=7');
    expect(tableOf(text, 'Volume in USDC')[0]?.[2]).to.equal('10 USDC');
    expect(tableOf(text, 'Volume in USDT')[0]?.[2]).to.equal('4 USDT');
    expect(tableOf(text, 'Time to settle')[0]?.[1]).to.equal('2');
  });

  it('has ranges of 7, 30 and 90 days, and takes no other', async () => {
    await createPayment(harness);
    const days = async (query: string) => tableOf(await home(query), 'Time to settle').length;
    expect(await days('')).to.equal(30);
    for (const [query, count] of [
      ['?days=7', 7],
      ['?days=90', 90],
      ['?days=8', 30],
      ['?days=90000000', 30],
      ['?days=7&days=90', 7],
    ] as const)
      expect(await days(query), query).to.equal(count);
    expect(await home('?days=90')).to.match(/days=90" aria-current="page"/);
  });

  it("counts by day of the shop's time zone", async () => {
    // 12:00 in UTC: the next day has begun on Kiritimati.
    await createPayment(harness);
    const first = async () => tableOf(await home('?days=7'), 'From created to settled')[0]?.slice(0, 2);
    expect(await first()).to.deep.equal(['Sat, Jan 31', '1']);
    expect((await setZone('Pacific/Kiritimati')).location).to.equal(path('?said=timeZone'));
    expect(await first()).to.deep.equal(['Sun, Feb 1', '1']);
    expect(await home('?said=timeZone'))
      .to.include('The time zone was changed.')
      .and.include('Pacific/Kiritimati');
    // 23:59 and 00:01 of Newfoundland, which is three hours and a half behind.
    await setZone('America/St_Johns');
    await later(15.5 * 3_600 - 60);
    await createPayment(harness);
    expect(await first()).to.deep.equal(['Sat, Jan 31', '2']);
    harness.advance(120);
    await createPayment(harness);
    expect(await first()).to.deep.equal(['Sun, Feb 1', '1']);
  });

  it('has 23 hours on the day on which clocks change in Berlin', async () => {
    await setZone('Europe/Berlin');
    // 2026-03-28T22:30Z is 23:30 there; two hours later it is 02:30 in summer time, and 23:00Z ends the day.
    harness.advance(56 * DAY + 10.5 * 3_600);
    for (const hours of [1, 21, 1.6]) {
      await createPayment(harness);
      harness.advance(hours * 3_600);
    }
    await createPayment(harness);
    await later(60);
    const rows = tableOf(await home('?days=7'), 'From created to settled').map((row) => row.slice(0, 2));
    expect(rows.slice(0, 3)).to.deep.equal([
      ['Mon, Mar 30', '1'],
      ['Sun, Mar 29', '2'],
      ['Sat, Mar 28', '1'],
    ]);
  });

  it('takes time zones that there are, writes down who changed it, and refuses others', async () => {
    expect((await setZone('europe/berlin')).status).to.equal(303);
    const [entry] = await harness.ctx
      .db('operator_actions')
      .where({ command: 'time zone changed' })
      .select<{ actor: string; details: object }[]>('actor', 'details');
    expect(entry).to.deep.equal({ actor: ann.id, details: { before: 'UTC', after: 'Europe/Berlin' } });
    for (const zone of ['Europe/Nowhere', '+02:00', '', "UTC'; DROP TABLE x", 'x'.repeat(200)]) {
      const refused = await setZone(zone);
      expect(refused.status, zone).to.equal(400);
      expect(refused.text).to.include('There is no such time zone.');
    }
    expect(await harness.ctx.db('merchants').pluck('time_zone')).to.deep.equal(['Europe/Berlin']);
  });

  it('is for every role, and the form of the time zone for owners and developers', async () => {
    await createPayment(harness);
    for (const role of ['developer', 'support', 'read-only'] as const) {
      const person = await joinDesk(harness, `${role}@shop.example`, { role });
      const text = await home('', person);
      expect(text).to.include('What needs you').and.include('<svg');
      expect(text.includes('settings/time-zone'), role).to.equal(role === 'developer');
      expect((await setZone('UTC', person)).status, role).to.equal(role === 'developer' ? 303 : 403);
    }
  });
});
