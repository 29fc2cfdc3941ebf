import { expect } from 'chai';
import { realChains } from '../../../../../src/domain/chain/profile.ts';
import {
  bitcoinAccountOf,
  bitcoinKeyOf,
  openBitcoinAccount,
  parseBitcoinAccount,
} from '../../../../../src/domain/chain/wallets/bitcoin/account.ts';
import { descriptorChecksum } from '../../../../../src/domain/chain/wallets/bitcoin/descriptor.ts';
import { SeedWallet } from '../../../../support/bip84.ts';
import { BIP84, BIP84_MNEMONIC, bitcoinKey, ROOT_KEY, type VERSIONS } from '../../../../support/wallets.ts';

const profile = (chainProfile: 'mainnet' | 'testnet' | 'regtest') =>
  realChains({ chainProfile, testnetTokens: {} });
const MAINNET = profile('mainnet');
const ORIGIN = "[73c5da0a/84'/0'/0']";

const refusal = (value: string, chains = MAINNET) => {
  try {
    parseBitcoinAccount(value, chains);
    return 'nothing was refused';
  } catch (error) {
    return error instanceof RangeError ? error.message : `${String(error)} is no RangeError`;
  }
};
const withChecksum = (descriptor: string) => `${descriptor}#${descriptorChecksum(descriptor)}`;

describe('an account of BIP-84', () => {
  it('has the addresses of the test vectors', () => {
    const wallet = openBitcoinAccount(parseBitcoinAccount(BIP84.zpub, MAINNET));
    expect([wallet.addressAt(0), wallet.addressAt(1)]).to.deep.equal(BIP84.receiving);
    expect([wallet.pathAt(0), wallet.pathAt(41)]).to.deep.equal(["m/84'/0'/0'/0/0", "m/84'/0'/0'/0/41"]);
    expect(wallet.family).to.equal('bitcoin');
  });

  it('is the same one as zpub, xpub and descriptor, and has the addresses that its seed has', () => {
    const { zpub } = BIP84;
    const xpub = bitcoinKey('xpub', 0, BIP84_MNEMONIC);
    const forms = [
      zpub,
      xpub,
      `wpkh(${xpub}/0/*)`,
      withChecksum(`wpkh(${ORIGIN}${xpub}/0/*)`),
      withChecksum(`wpkh(${ORIGIN.replaceAll("'", 'h')}${xpub}/<0;1>/*)`),
      withChecksum(`wpkh(${ORIGIN.toUpperCase()}${zpub}/0/*)`),
    ].map((value) => parseBitcoinAccount(value, MAINNET));
    const seed = new SeedWallet(BIP84_MNEMONIC);
    for (const data of forms) {
      expect(bitcoinAccountOf(data)).to.equal(bitcoinAccountOf(forms[0] ?? ''));
      const wallet = openBitcoinAccount(data);
      for (const index of [0, 7, 1_000, 2 ** 31 - 1])
        expect(wallet.addressAt(index)).to.equal(seed.addressAt(`m/84'/0'/0'/0/${index}`));
    }
    expect(
      forms.slice(3).map((data) => (JSON.parse(data) as { fingerprint: string }).fingerprint),
    ).to.deep.equal(['73c5da0a', '73c5da0a', '73c5da0a']);
    expect(bitcoinKeyOf(forms[0] ?? '')).to.equal(`${zpub.slice(0, 8)}...${zpub.slice(-4)}`);
    expect(
      bitcoinAccountOf(parseBitcoinAccount(bitcoinKey('zpub', 1, BIP84_MNEMONIC), MAINNET)),
    ).to.not.equal(bitcoinAccountOf(forms[0] ?? ''));
  });

  for (const [name, prefix] of [
    ['testnet', 'tb'],
    ['regtest', 'bcrt'],
  ] as const)
    it(`is one of the test network with CHAIN_PROFILE=${name}: another coin, and addresses of ${prefix}1`, () => {
      const seed = new SeedWallet(BIP84_MNEMONIC);
      for (const letters of ['vpub', 'tpub'] as const) {
        const key = bitcoinKey(letters, 3, BIP84_MNEMONIC);
        const wallet = openBitcoinAccount(parseBitcoinAccount(key, profile(name)));
        expect(wallet.pathAt(5)).to.equal("m/84'/1'/3'/0/5");
        expect(wallet.addressAt(5)).to.equal(seed.addressAt("m/84'/1'/3'/0/5", prefix));
        expect(refusal(key)).to.include('CHAIN_PROFILE=mainnet is not');
      }
      expect(refusal(BIP84.zpub, profile(name))).to.include('give a vpub... or tpub...');
    });

  it('is refused in any other form, by what is wrong, and never repeated', () => {
    const { zpub } = BIP84;
    const child = (path: string) => ROOT_KEY.derive(path).publicExtendedKey;
    const xpub = bitcoinKey('xpub', 0, BIP84_MNEMONIC);
    const rewritten = (letters: keyof typeof VERSIONS) => bitcoinKey(letters, 0, BIP84_MNEMONIC);
    const wrong = {
      [`${zpub.slice(0, 60)}${zpub[60] === 'A' ? 'B' : 'A'}${zpub.slice(61)}`]: 'its checksum is wrong',
      [zpub.slice(0, -1)]: 'is no extended public key',
      [child('m')]: 'of depth 0',
      [child("m/84'/0'")]: 'of depth 2',
      [child("m/84'/0'/0")]: 'of depth 3',
      [child("m/84'/0'/0'/0")]: 'of depth 4',
      [rewritten('ypub')]: 'of BIP49',
      [rewritten('upub')]: 'of BIP49',
      [rewritten('Ypub')]: 'several signers',
      [rewritten('Zpub')]: 'several signers',
      [bitcoinKey('xprv', 0, BIP84_MNEMONIC)]: 'is no extended public key',
      bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu: 'is no extended public key',
      [`wpkh(${xpub}/1/*)`]: 'must be wpkh(',
      [`wpkh(${xpub}/*)`]: 'must be wpkh(',
      [`wpkh(${xpub}/0/*')`]: 'must be wpkh(',
      [`wpkh(${xpub}/0/5)`]: 'must be wpkh(',
      [`sh(wpkh(${xpub}/0/*))`]: 'must be wpkh(',
      [`pkh(${xpub}/0/*)`]: 'must be wpkh(',
      [`tr(${xpub}/0/*)`]: 'must be wpkh(',
      [`wsh(multi(1,${xpub}/0/*,${xpub}/0/*))`]: 'must be wpkh(',
      [`wpkh(${ORIGIN}${child("m/84'/0'/0'/0/0")}/0/*)`]: 'of depth 5',
      [`wpkh([73c5da0a/84'/0'/1']${xpub}/0/*)`]: 'names another path',
      [`wpkh([73c5da0a/44'/0'/0']${xpub}/0/*)`]: 'names another path',
      [`wpkh([73c5da0a/84'/1'/0']${xpub}/0/*)`]: 'names another path',
      [`wpkh(${ORIGIN}${xpub}/0/*)#qqqqqqqq`]: 'checksum of the descriptor is wrong',
      [`wpkh(${ORIGIN}${xpub}/0/*)#`]: 'checksum of the descriptor is wrong',
      [withChecksum(`wpkh(${ORIGIN}${xpub}/0/*)`).replace('73c5', '73c6')]:
        'checksum of the descriptor is wrong',
      '': 'is no extended public key',
    };
    for (const [value, reason] of Object.entries(wrong)) {
      expect(refusal(value), value).to.include(reason);
      if (value !== '') expect(refusal(value)).to.not.include(value.slice(-20, -10) || value);
    }
  });
});

describe('the checksum of a descriptor', () => {
  it('is that of BIP-380', () => {
    expect(descriptorChecksum('raw(deadbeef)')).to.equal('89f8spxm');
    expect(descriptorChecksum('raw(dedbeef)')).to.not.equal('89f8spxm');
    expect(descriptorChecksum('raw(deadbeef\u0000)')).to.equal(null);
  });
});
