import { randomBytes } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, createBase58check } from '@scure/base';
import { HDKey } from '@scure/bip32';
import { expect } from 'chai';
import { exposedWarning, pastedSecret } from '../../../../src/domain/chain/wallets/pasted-secret.ts';

const base58Check = createBase58check(sha256);
const SEED = Buffer.alloc(32, 7);
const ROOT = HDKey.fromMasterSeed(SEED);
const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const HEX = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';
const wif = (version: number, end: readonly number[]) =>
  base58Check.encode(Uint8Array.of(version, ...SEED, ...end));
/**
 * BIP-32 and SLIP-132: the versions of xprv, yprv, zprv, tprv, uprv, vprv, Yprv, Zprv, Uprv, Vprv, and
 * Litecoin's.
 */
const VERSIONS = [
  0x0488ade4, 0x049d7878, 0x04b2430c, 0x04358394, 0x044a4e28, 0x045f18bc, 0x0295b005, 0x02aa7a99, 0x024285b5,
  0x02575048, 0x019d9cfe,
];
const extended = VERSIONS.map(
  (version) => HDKey.fromMasterSeed(SEED, { private: version, public: version + 1 }).privateExtendedKey,
);

const SECRETS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(extended.map((key) => [`${key.slice(0, 4)} of a wallet`, key])),
  'an xprv with a wrong letter': `${ROOT.privateExtendedKey.slice(0, -2)}zz`,
  'the begin of an xprv': ROOT.privateExtendedKey.slice(0, 40),
  'an xprv in a descriptor': `wpkh([d34db33f/84'/0'/0']${ROOT.privateExtendedKey}/0/*)`,
  'an xprv behind an option': `--value=${ROOT.privateExtendedKey}`,
  'WIF of a compressed key': wif(0x80, [1]),
  'WIF of an uncompressed key': wif(0x80, []),
  'WIF of a test network': wif(0xef, [1]),
  'WIF of another chain': wif(0xb0, [1]),
  'WIF with a wrong letter': `${wif(0x80, [1]).slice(0, -1)}1`,
  'BIP-38': `6P${'R'.repeat(56)}`,
  '0x and 64 digits': `0x${HEX}`,
  '64 digits': HEX,
  '64 digits in capitals': HEX.toUpperCase(),
  '64 digits in a sentence': `my key is 0x${HEX}!`,
  'a seed of 64 bytes': HEX + HEX,
  'entropy of 16 bytes': HEX.slice(32),
  'a key of Solana': base58.encode(randomBytes(64)),
  PEM: '-----BEGIN EC PRIVATE KEY-----',
  'a key store': '{"version":3,"crypto":{"cipher":"aes-128-ctr"}}',
  '12 words': PHRASE,
  '24 words': `${PHRASE} ${PHRASE}`,
  '12 words with numbers': PHRASE.split(' ')
    .map((word, index) => `${index + 1}. ${word}`)
    .join(' '),
  '12 words with numbers and no gaps': PHRASE.split(' ')
    .map((word, index) => `${index + 1}.${word}`)
    .join('\n'),
  '12 words with commas': PHRASE.replaceAll(' ', ', '),
  '12 words on lines': PHRASE.replaceAll(' ', '\r\n'),
  '12 words in capitals': PHRASE.toUpperCase(),
  '12 words in quotes': `"${PHRASE}"`,
  '11 words': PHRASE.split(' ').slice(1).join(' '),
  '12 words in Spanish': 'ábaco abdomen abeja abierto abogado abono aborto abrazo abrir abuelo abuso acabar',
  '12 words in Japanese':
    'あいこくしん あいさつ あいだ あおぞら あかちゃん あきる あけがた あける あこがれる あさい あさひ あしあと',
  '12 words in Chinese': '的一是在不了有和人这中大',
  'full-width letters': `０ｘ${HEX}`,
  'invisible characters': `0x${HEX.slice(0, 20)}\u200b${HEX.slice(20)}`,
};

describe('a pasted secret', () => {
  for (const [form, text] of Object.entries(SECRETS))
    it(`is recognised: ${form}`, () => {
      expect(pastedSecret(text)).to.be.a('string');
      expect(pastedSecret(`  ${text}\n`)).to.be.a('string');
    });

  it('is no extended public key, no address and no word of a command', () => {
    for (let index = 0; index < 500; index += 1) {
      const key = ROOT.deriveChild(index);
      for (const text of [
        key.publicExtendedKey,
        `wpkh([73c5da0a/84'/0'/0']${key.publicExtendedKey}/0/*)#89f8spxm`,
        `0x${randomBytes(20).toString('hex')}`,
        base58Check.encode(Uint8Array.of(0x41, ...randomBytes(20))),
      ])
        expect(pastedSecret(text), text).to.equal(null);
    }
    for (const text of [
      'TPrVPgUjC3Ln5vegFdDmFVwFzSrunFHLqp',
      '',
      '-',
      'xpub',
      'wallet set mer_01M7X9Y9E5YM9A1356S2WPNB4R xpub',
      '/tmp/my file.csv',
    ])
      expect(pastedSecret(text)).to.equal(null);
  });

  it('is looked for in no more than the begin of a long text', () => {
    for (const part of ['z', '0x', '1111111111111111111111111111111111111111111111111 ', '()'])
      expect(pastedSecret(part.repeat(1_000_000))).to.equal(null);
    expect(pastedSecret('word '.repeat(1_000_000))).to.equal('a seed phrase');
  });

  it('is answered with what to do, and never with the secret', () => {
    const name = pastedSecret(ROOT.privateExtendedKey) ?? '';
    expect(exposedWarning(name)).to.include('Treat it as exposed').and.not.include('xprv');
  });
});
