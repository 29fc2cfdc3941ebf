import { randomBytes } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { expect } from 'chai';
import {
  HARDENED,
  publicChildren,
} from '../../../../../src/domain/chain/wallets/deposits/public-children.ts';

const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('hex');

describe('the children of an extended public key', () => {
  it('are those of the vectors of BIP-32', () => {
    // Test vectors 1 to 3 of BIP-32: a parent, a number, and the child.
    for (const [parent, index, child] of [
      [
        'xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw',
        1,
        'xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ',
      ],
      [
        'xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5',
        2,
        'xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV',
      ],
      [
        'xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB',
        0,
        'xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH',
      ],
    ] as const) {
      const found = publicChildren(HDKey.fromExtendedKey(parent))(index);
      expect(hex(found.toBytes(true))).to.equal(hex(HDKey.fromExtendedKey(child).publicKey));
    }
  });

  it('are those that another library derives, of any key', () => {
    for (let keys = 0; keys < 20; keys += 1) {
      const parent = HDKey.fromExtendedKey(HDKey.fromMasterSeed(randomBytes(32)).publicExtendedKey);
      const childAt = publicChildren(parent);
      for (const index of [0, 1, 255, 256, 65_536, randomBytes(4).readUInt32BE() >>> 1, HARDENED - 1])
        expect(hex(childAt(index).toBytes(true)), `${parent.publicExtendedKey} ${index}`).to.equal(
          hex(parent.deriveChild(index).publicKey),
        );
    }
  });

  it('have no hardened index, and none that is no number of a child', () => {
    const childAt = publicChildren(HDKey.fromMasterSeed(randomBytes(32)));
    for (const index of [HARDENED, -1, 0.5, Number.NaN]) expect(() => childAt(index)).to.throw(RangeError);
  });
});
