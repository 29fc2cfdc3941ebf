import type { LookupAddress } from 'node:dns';
import { expect } from 'chai';
import { AddressBlockedError, guardedLookup } from '../../../../src/domain/webhooks/client/address-guard.ts';
import type { ResolveHost } from '../../../../src/domain/webhooks/client/resolve-host.ts';

const PUBLIC_4 = { address: '8.8.8.8', family: 4 };
const PUBLIC_6 = { address: '2606:4700:4700::1111', family: 6 };
const PRIVATE_4 = { address: '10.0.0.1', family: 4 };
const PRIVATE_6 = { address: 'fd00::1', family: 6 };
const METADATA = { address: '169.254.169.254', family: 4 };

describe("the lookup of the webhook client's sockets", () => {
  it('returns every public address when all are requested, and the first when one is', async () => {
    const addresses = [PUBLIC_4, PUBLIC_6];
    expect(await look(addresses, { all: true })).to.deep.equal([addresses]);
    expect(await look(addresses, {})).to.deep.equal([PUBLIC_4.address, 4]);
    expect(await look(addresses, { all: false, family: 6 })).to.deep.equal([PUBLIC_6.address, 6]);
    expect(await look(addresses, { all: true, family: 'IPv4' })).to.deep.equal([[PUBLIC_4]]);
  });

  it('returns only the public addresses of a name that has others as well', async () => {
    const addresses = [PRIVATE_4, METADATA, PUBLIC_4, PRIVATE_6, PUBLIC_6];
    expect(await look(addresses, { all: true })).to.deep.equal([[PUBLIC_4, PUBLIC_6]]);
    expect(await look(addresses, {})).to.deep.equal([PUBLIC_4.address, 4]);
  });

  it('fails with EADDRBLOCKED when a name has no public address, without naming its addresses', async () => {
    for (const options of [{ all: true }, {}]) {
      const error = await failure([PRIVATE_4, PRIVATE_6, METADATA], options);
      expect(error).to.be.instanceOf(AddressBlockedError).with.property('code', 'EADDRBLOCKED');
      expect(error.message).to.include('merchant.example');
      for (const { address } of [PRIVATE_4, PRIVATE_6, METADATA])
        expect(error.message).not.to.include(address);
    }
  });

  it('resolves again for each connection, so an earlier result does not count', async () => {
    const answers = [[PUBLIC_4], [PRIVATE_4]];
    const rebinding: ResolveHost = (_, done) => done(null, answers.shift() ?? []);
    const lookup = guardedLookup(false, rebinding);
    expect(await called(lookup, { all: true })).to.deep.equal([null, [PUBLIC_4]]);
    expect((await called(lookup, { all: true }))[0]).to.be.instanceOf(AddressBlockedError);
  });

  it('returns private addresses where they are allowed, but not those of metadata services', async () => {
    expect(await look([PRIVATE_4, METADATA, PRIVATE_6], { all: true }, true)).to.deep.equal([
      [PRIVATE_4, PRIVATE_6],
    ]);
    expect(await failure([METADATA], { all: true }, true)).to.be.instanceOf(AddressBlockedError);
  });

  it('passes the error of a name that does not resolve on', async () => {
    const unknown = Object.assign(new Error('queryA ENOTFOUND merchant.example'), { code: 'ENOTFOUND' });
    const [error] = await called(
      guardedLookup(false, (_, done) => done(unknown, [])),
      { all: true },
    );
    expect(error).to.equal(unknown);
  });

  it('resolves localhost through the system where private networks are allowed', async () => {
    const [error, addresses] = await called(guardedLookup(true), { all: true }, 'localhost');
    expect(error).to.equal(null);
    expect((addresses as LookupAddress[]).map(({ address }) => address)).to.include('127.0.0.1');
  });
});

type Options = Parameters<ReturnType<typeof guardedLookup>>[1];

function called(lookup: ReturnType<typeof guardedLookup>, options: Options, host = 'merchant.example') {
  return new Promise<unknown[]>((resolve) => {
    lookup(host, options, (...result: unknown[]) => resolve(result));
  });
}

function lookupOf(addresses: LookupAddress[], allowPrivate: boolean) {
  return guardedLookup(allowPrivate, (_, done) => done(null, addresses));
}

async function look(addresses: LookupAddress[], options: Options, allowPrivate = false) {
  const [error, ...result] = await called(lookupOf(addresses, allowPrivate), options);
  expect(error).to.equal(null);
  return result;
}

async function failure(addresses: LookupAddress[], options: Options, allowPrivate = false): Promise<Error> {
  const [error] = await called(lookupOf(addresses, allowPrivate), options);
  expect(error).to.be.instanceOf(Error);
  return error as Error;
}
