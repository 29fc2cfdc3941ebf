import { expect } from 'chai';
import { joinDesk, openBrowser, OWN, PASSWORD, type DeskBrowser } from '../../support/desk.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

describe('the limits of pages of the desk', () => {
  /** Of the form that changes a password, a minute. */
  const LIMIT = 10;
  let harness: Harness;
  beforeEach(async () => {
    harness = await createHarness({ RATE_LIMIT_SCALE: '1', TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterEach(() => harness.close());

  const from = (address: string) => ({ ...OWN, 'X-Forwarded-For': address });
  const ask = async (browser: DeskBrowser, address: string, times: number) => {
    const asked = [];
    for (let i = 0; i < times; i += 1)
      asked.push(
        (await browser.post('/dashboard/account/password', { password: 'wrong' }, from(address))).status,
      );
    return asked;
  };

  it('count a person, so that nobody at the same address locks them out', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    const guest = openBrowser(harness);
    expect((await ask(guest, '192.0.2.1', LIMIT + 1)).at(-1)).to.equal(429);
    guest.cookies.set('desk', 'x'.repeat(32));
    expect(await ask(guest, '192.0.2.1', 1), 'a cookie that is made up').to.deep.equal([429]);
    expect((await ask(ann, '192.0.2.1', 1))[0]).to.not.equal(429);
  });

  it('count a person at all of their addresses together', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    expect(await ask(ann, '192.0.2.1', LIMIT)).to.not.include(429);
    expect(await ask(ann, '192.0.2.2', 1)).to.deep.equal([429]);
    const bob = await joinDesk(harness, 'bob@shop.example');
    expect(await ask(bob, '192.0.2.1', 1)).to.not.include(429);
  });

  it('count the address of who has proven no second factor', async () => {
    const ann = await joinDesk(harness, 'ann@shop.example');
    expect((await ask(openBrowser(harness), '192.0.2.1', LIMIT + 1)).at(-1)).to.equal(429);
    const begun = openBrowser(harness);
    const fields = { email: ann.email, password: PASSWORD };
    expect((await begun.post('/dashboard/sign-in', fields, from('192.0.2.1'))).status).to.equal(303);
    expect(await ask(begun, '192.0.2.1', 1)).to.deep.equal([429]);
  });
});
