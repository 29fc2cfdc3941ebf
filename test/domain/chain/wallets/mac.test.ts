import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { macFault, macOf } from '../../../../src/domain/chain/wallets/mac.ts';

const WALLET = {
  id: 'wal_1',
  merchant_id: 'mer_1',
  family: 'evm',
  kind: 'xpub',
  public_data: 'xpub...',
};

describe("a wallet's MAC", () => {
  const [old, current] = [randomBytes(32), randomBytes(32)];
  const signed = { ...WALLET, ...macOf({ secretsKeys: [old] }, WALLET) };

  it('holds for what was stored, under any key of SECRETS_KEY', () => {
    expect(macFault({ secretsKeys: [old] }, signed)).to.equal(null);
    expect(macFault({ secretsKeys: [current, old] }, signed)).to.equal(null);
    expect(macFault({ secretsKeys: [current] }, signed)).to.match(/lacks the key [0-9a-f]{8}/);
  });

  for (const [what, change] of Object.entries({
    'another id': { id: 'wal_2' },
    'another merchant': { merchant_id: 'mer_2' },
    'no merchant': { merchant_id: null },
    'another family': { family: 'bitcoin' },
    'another kind': { kind: 'forwarder' },
    'other data': { public_data: 'xpub....' },
    'another MAC': { mac: Buffer.alloc(32) },
    'no MAC': { mac: Buffer.alloc(0) },
    'a part of its MAC': { mac: signed.mac.subarray(1) },
    'a letter that moves from one part to the next': { id: 'wal_', merchant_id: '1mer_1' },
  }))
    it(`does not hold with ${what}`, () => {
      expect(macFault({ secretsKeys: [old] }, { ...signed, ...change })).to.include('was changed');
    });
});
