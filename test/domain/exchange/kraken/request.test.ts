import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { krakenAccount } from '../../../../src/domain/exchange/kraken/account.ts';
import { signatureOf } from '../../../../src/domain/exchange/kraken/request.ts';
import { ExchangeError } from '../../../../src/domain/exchange/port.ts';
import { serveKraken, type Fault, type ServedKraken } from '../../../support/kraken.ts';

describe('requests to Kraken', () => {
  let kraken: ServedKraken;
  let nonce = 0;
  beforeEach(async () => {
    kraken = await serveKraken(() => new Date());
  });
  afterEach(() => kraken.close());

  const account = (nextNonce = () => Promise.resolve(String((nonce += 1)))) => {
    const { key, secret } = kraken.account;
    return krakenAccount({ base: kraken.url, credentials: { key, secret }, nextNonce });
  };
  const faultOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error as ExchangeError,
    );

  it("are signed as the example of Kraken's documentation", () => {
    const secret = 'kQH5HW/8p1uGOVjbgWA7FunAmGO8lsSUXNsu3eow76sz84Q18fWxnyRzBHCd3pd5nE9qa99HAZtuZuj6F1huXg==';
    const body = 'nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25';
    expect(signatureOf('/0/private/AddOrder', '1616492376594', body, secret)).to.equal(
      '4/dpxb3iT4tp/ZCVEwSnEsLxx0bqyhLpdfOpc6fn7OR8+UClSV5n9E6aSS8MPtnRfp32bAb0nmbRn6H8ndwLUQ==',
    );
  });

  for (const [fault, meaning, reason] of [
    [{ error: 'EAPI:Rate limit exceeded' }, 'later', 'rate_limited'],
    [{ error: 'EAPI:Invalid key' }, 'refused', 'key_refused'],
    [{ error: 'EGeneral:Permission denied' }, 'refused', 'key_refused'],
    [{ error: 'EOrder:Insufficient funds' }, 'refused', 'insufficient_funds'],
    [{ error: 'EService:Unavailable' }, 'unknown', 'exchange_unavailable'],
    [{ error: 'EGeneral:Internal error' }, 'unknown', 'exchange_unavailable'],
    [{ error: 'ESomething:New' }, 'unknown', 'exchange_unavailable'],
    [{ status: 502 }, 'unknown', 'exchange_unavailable'],
    [{ cut: 'before' }, 'unknown', 'exchange_unavailable'],
    [{ cut: 'after' }, 'unknown', 'exchange_unavailable'],
  ] as const satisfies readonly (readonly [Fault, string, string])[])
    it(`that end by ${JSON.stringify(fault)} are ${meaning}, and show no secret`, async () => {
      kraken.fault = () => fault;
      const error = await faultOf(account().checkRights());
      expect(error).to.be.instanceOf(ExchangeError);
      expect(error).to.include({ meaning, reason });
      const shown = inspect(error, { depth: 10 });
      for (const secret of [kraken.account.key, kraken.account.secret]) expect(shown).to.not.include(secret);
    });

  it('follow no redirect, take no page and no endless answer for one, and keep none of it', async () => {
    const elsewhere = await serveKraken(() => new Date());
    const strange: [string, (response: ServerResponse) => unknown][] = [
      ['status 302', (response) => response.writeHead(302, { location: elsewhere.url }).end()],
      ['status 307', (response) => response.writeHead(307, { location: elsewhere.url }).end()],
      ['not JSON', (response) => response.end('<html>One moment, please</html>')],
      ['larger than', (response) => response.end('['.repeat(300_000))],
      ['larger than', (response) => Readable.from(endless()).pipe(response)],
      ['without error or result', (response) => response.end('null')],
      ['without error or result', (response) => response.end('{"error":{"0":"EAPI:Invalid key"}}')],
    ];
    let answer: (response: ServerResponse) => unknown = () => undefined;
    const server = createServer((_request, response) => answer(response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { key, secret } = kraken.account;
    const nextNonce = () => Promise.resolve('1');
    const strangeAccount = krakenAccount({ base, credentials: { key, secret }, nextNonce });
    try {
      for (const [told, give] of strange) {
        answer = give;
        const error = await faultOf(strangeAccount.checkRights());
        expect(error).to.include({ meaning: 'unknown', reason: 'exchange_unavailable' });
        expect(error?.message).to.include(told).and.to.have.length.below(200);
      }
      expect(elsewhere.calls).to.deep.equal([]);
    } finally {
      server.closeAllConnections();
      server.close();
      await elsewhere.close();
    }
  });

  it('of one process that overtake each other are all answered', async () => {
    const one = account();
    const found = await Promise.all(Array.from({ length: 3 }, () => one.listAddresses('ETH', 'ethereum')));
    expect(found).to.deep.equal([[], [], []]);
  });

  it('are sent under another nonce where another process was faster, and not for ever', async () => {
    kraken.fault = (_method, times) => (times <= 2 ? { error: 'EAPI:Invalid nonce' } : null);
    expect(await account().listAddresses('ETH', 'ethereum')).to.deep.equal([]);
    kraken.fault = () => ({ error: 'EAPI:Invalid nonce' });
    expect(await faultOf(account().listAddresses('ETH', 'ethereum'))).to.include({ meaning: 'later' });
  });

  it('make no address beyond those that Kraken makes, and take none that expires or needs a tag', async () => {
    const made = [];
    for (let i = 0; i < 7; i += 1) made.push(await account().addAddress('ETH', 'ethereum'));
    expect(made.filter((address) => address !== null)).to.have.length(5);
    const shown = kraken.deliver.bind(kraken);
    kraken.deliver = (method, params) =>
      method === 'DepositAddresses'
        ? [
            { address: '0x1', expiretm: '1700000000' },
            { address: '0x2', expiretm: '0', tag: '7' },
            { address: '0x3', expiretm: '0', new: true },
          ]
        : shown(method, params);
    expect(await account().listAddresses('ETH', 'ethereum')).to.deep.equal(['0x3']);
  });
});

function* endless() {
  for (;;) yield '[1,'.repeat(10_000);
}
