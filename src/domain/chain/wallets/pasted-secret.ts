import { base58 } from '@scure/base';
import { base58Check } from '../addresses.ts';

/** No public key and no address is so long; a longer value is not looked at. */
export const MAX_VALUE_LENGTH = 4_096;

interface SecretForm {
  readonly name: string;
  readonly isIn: (text: string) => boolean;
}

const BASE58 = '[1-9A-HJ-NP-Za-km-z]';

/**
 * What must never come here, in the forms in which wallets show it, also inside other text. By their forms
 * alone: a key with a typing mistake is a key that somebody guesses.
 */
const FORMS: readonly SecretForm[] = [
  // BIP-32 and SLIP-132: xprv, yprv, zprv, tprv, uprv, vprv and those of scripts; and the forks' own. Longer
  // than an address, of which some begin with TPrv.
  {
    name: 'an extended private key',
    isIn: matches(new RegExp(`(?<!${BASE58})(?:[a-z]prv|[LMd][tg]p[vw])${BASE58}{31}`, 'i')),
  },
  { name: 'an extended private key', isIn: hasWord((word) => decoded(word, 82)?.[45] === 0) },
  {
    name: 'a private key',
    isIn: (text) =>
      (text.match(/[0-9a-f]{32,}/gi) ?? []).some(({ length }) => [32, 64, 128].includes(length)),
  },
  // WIF: a version from 0x80 on, 32 bytes, and 01 where the public key is compressed. BIP-38: encrypted.
  { name: 'a private key (WIF)', isIn: hasWord(isWif) },
  {
    name: 'a private key (WIF)',
    isIn: matches(new RegExp(`(?<!\\w)(?:[5KL9c]${BASE58}{50,51}|6P${BASE58}{56})(?!\\w)`)),
  },
  // A pair of keys of Solana.
  { name: 'a private key', isIn: hasWord((word) => decoded(word, 64) !== null) },
  { name: 'a private key', isIn: matches(/PRIVATE KEY|"ciphertext"|"crypto"\s*:/i) },
  // 12 to 24 words of any language, as one text or as one word an argument; a part of them is enough.
  { name: 'a seed phrase', isIn: (text) => words(text) >= 6 },
];

/**
 * Returns what a pasted text seems to be, where it is a secret or holds one; null: it is none. Letters of
 * another width and characters without any do not hide it.
 */
export function pastedSecret(text: string): string | null {
  const seen = text
    .slice(0, MAX_VALUE_LENGTH)
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '');
  return FORMS.find(({ isIn }) => isIn(seen))?.name ?? null;
}

/** What is said where a secret was pasted. It never shows what was pasted. */
export function exposedWarning(name: string): string {
  return (
    `This looks like ${name}. It was refused: nothing was stored, logged or sent. This service never needs a secret.\n` +
    'Treat it as exposed all the same: it may stand in the history of your shell, in logs of npm and in the list of ' +
    'processes. Move the money that it controls to a new wallet, and remove it from there.\n' +
    'What is needed is public: an extended public key (xpub..., zpub...), a descriptor of one, or an address (0x...).'
  );
}

function matches(pattern: RegExp): (text: string) => boolean {
  return (text) => pattern.test(text);
}

/** Base58 decodes in the square of the length: only words as short as keys are looked at. */
function hasWord(isSecret: (word: string) => boolean): (text: string) => boolean {
  return (text) => (text.match(/[1-9A-HJ-NP-Za-km-z]{50,112}/g) ?? []).some(isSecret);
}

/** Returns the bytes of base58 where they are so many. */
function decoded(word: string, length: number): Uint8Array | null {
  const bytes = base58.decode(word);
  return bytes.length === length ? bytes : null;
}

function isWif(word: string): boolean {
  try {
    const bytes = base58Check.decode(word);
    const [version = 0] = bytes;
    return version >= 0x80 && (bytes.length === 33 || (bytes.length === 34 && bytes[33] === 1));
  } catch {
    return false;
  }
}

/** Words of letters alone, also numbered ones. Those of Chinese may stand without gaps. */
function words(text: string): number {
  const ofLetters = text.split(/[\s,;|"']+/).filter((word) => /^(?:\d+[.):])?\p{L}{2,12}\.?$/u.test(word));
  return ofLetters.length + (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
