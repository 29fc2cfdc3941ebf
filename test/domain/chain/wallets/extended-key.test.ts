import { pbkdf2Sync } from 'node:crypto';
import { HDKey } from '@scure/bip32';
import { expect } from 'chai';
import { openAccountKey, parseAccountKey } from '../../../../src/domain/chain/wallets/extended-key.ts';

/** The phrase of anvil and of hardhat, whose accounts everybody knows. */
const MNEMONIC = 'test test test test test test test test test test test junk';
const KNOWN = [
  '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
  '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
  '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  '0x90f79bf6eb2c4f870365e785982e1f101e93b906',
  '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65',
];
const ROOT = HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512'));
const ACCOUNT = ROOT.derive("m/44'/60'/0'");
const refusal = (value: string) => {
  try {
    parseAccountKey(value);
    return null;
  } catch (error) {
    return error instanceof RangeError ? error.message : `${String(error)} is no RangeError`;
  }
};

describe("an account's extended public key", () => {
  it("leads to the addresses of the account's wallet, in their order", () => {
    const wallet = openAccountKey(parseAccountKey(ACCOUNT.publicExtendedKey));
    expect(KNOWN.map((_, index) => wallet.addressAt(index))).to.deep.equal(KNOWN);
    expect([wallet.pathAt(0), wallet.pathAt(41)]).to.deep.equal(["m/44'/60'/0'/0/0", "m/44'/60'/0'/0/41"]);
    const third = openAccountKey(ROOT.derive("m/44'/60'/2'").publicExtendedKey);
    expect(third.pathAt(1)).to.equal("m/44'/60'/2'/0/1");
  });

  it('is refused with a wrong checksum, of another depth, and of another chain, and never repeated', () => {
    const key = ACCOUNT.publicExtendedKey;
    const changed = `${key.slice(0, 60)}${key[60] === 'A' ? 'B' : 'A'}${key.slice(61)}`;
    const wrong = {
      [changed]: 'its checksum is wrong',
      [key.slice(0, -1)]: 'is no extended public key',
      [ROOT.publicExtendedKey]: 'of depth 0',
      [ROOT.derive("m/44'/60'").publicExtendedKey]: 'of depth 2',
      [ROOT.derive("m/44'/60'/0'/0").publicExtendedKey]: 'of depth 4',
      [ROOT.derive("m/44'/60'/0").publicExtendedKey]: 'of depth 3',
      [`z${key.slice(1)}`]: 'belongs to another chain',
      [`t${key.slice(1)}`]: 'belongs to another chain',
      [ACCOUNT.privateExtendedKey]: 'is no extended public key',
      '': 'is no extended public key',
      '0x15d34aaf54267db7d7c367839aaf71a00a2c6a65': 'is no extended public key',
    };
    for (const [value, reason] of Object.entries(wrong)) {
      expect(refusal(value), value).to.include(reason);
      if (value !== '') expect(refusal(value)).to.not.include(value.slice(10, 20));
    }
  });
});
