import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { DeskAnswer, DeskBrowser } from './desk.ts';

/** Flags of authenticator data (Web Authentication, 6.1): somebody is there; and who it is was verified. */
const [PRESENT, VERIFIED, HAS_KEY] = [0x01, 0x04, 0x40];

/** What an authenticator and its browser are told to do wrong. */
export interface Faults {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly isVerified?: false;
  readonly userHandle?: string;
  readonly counter?: number;
  readonly crossOriginTop?: string;
}

/** An authenticator and its browser, made by hand: each of its answers can be wrong in one way. */
export class Authenticator {
  readonly id = randomBytes(16);
  counter = 0;
  userHandle = '';
  readonly origin: string;
  private readonly key: KeyObject;
  private readonly publicKey: KeyObject;

  /** `other`: the same credential in another authenticator, which counts by itself. */
  constructor(origin: string, other?: Authenticator) {
    this.origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    [this.key, this.publicKey] = [other?.key ?? privateKey, other?.publicKey ?? publicKey];
    if (other !== undefined) [this.id, this.userHandle] = [other.id, other.userHandle];
  }

  /**
   * The fields of the form of a new passkey, for the options that a page shows. `certify` makes a statement
   * of the format `packed` of what it signs; without it there is none.
   */
  create(
    options: Options,
    faults: Faults = {},
    certify?: (signed: Buffer) => Buffer,
  ): Record<string, string> {
    this.userHandle = options.user?.id ?? '';
    const data = Buffer.concat([
      this.data(options.rp?.id ?? '', HAS_KEY, faults),
      Buffer.alloc(16),
      Buffer.from([0, this.id.length]),
      this.id,
      coseKey(this.publicKey),
    ]);
    const clientDataJSON = this.client('webauthn.create', options.challenge, faults);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const attestationObject = Buffer.concat([
      map(3),
      text('fmt'),
      text(certify === undefined ? 'none' : 'packed'),
      text('attStmt'),
      certify?.(Buffer.concat([data, hash])) ?? map(0),
      text('authData'),
      bytes(data),
    ]);
    return {
      id: this.id.toString('base64url'),
      clientDataJSON,
      attestationObject: attestationObject.toString('base64url'),
    };
  }

  /** The fields of a form for which the passkey is used. */
  get(options: Options, faults: Faults = {}): Record<string, string> {
    this.counter = faults.counter ?? (this.counter === 0 ? 0 : this.counter + 1);
    const data = this.data(options.rpId ?? '', 0, faults);
    const clientDataJSON = this.client('webauthn.get', options.challenge, faults);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    return {
      id: this.id.toString('base64url'),
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: sign('sha256', Buffer.concat([data, hash]), this.key).toString('base64url'),
      userHandle: faults.userHandle ?? this.userHandle,
    };
  }

  private data(rpId: string, flags: number, faults: Faults): Buffer {
    const hash = createHash('sha256').update(faults.rpId ?? rpId);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.counter);
    const verified = faults.isVerified === false ? 0 : VERIFIED;
    return Buffer.concat([hash.digest(), Buffer.from([PRESENT | verified | flags]), counter]);
  }

  private client(type: string, challenge: string, faults: Faults): string {
    const data = {
      type: faults.type ?? type,
      challenge: faults.challenge ?? challenge,
      origin: faults.origin ?? this.origin,
      crossOrigin: faults.crossOriginTop !== undefined,
      ...(faults.crossOriginTop === undefined ? {} : { topOrigin: faults.crossOriginTop }),
    };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }
}

/** What a page gives navigator.credentials. */
export interface Options {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly user?: { readonly id: string };
  readonly attestation?: string;
  readonly userVerification?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
  readonly excludeCredentials?: readonly { readonly id: string }[];
}

/** The options of the passkey form of a page. Throws where it has none. */
export function optionsOf({ text: page }: Pick<DeskAnswer, 'text'>): Options {
  const [, attribute] = /data-passkey="([^"]*)"/.exec(page) ?? [];
  if (attribute === undefined) throw new Error(`no form of a passkey in ${page}`);
  const written = attribute.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  return JSON.parse(written) as Options;
}

/** Signs in with a passkey alone. */
export async function signInBy(
  browser: DeskBrowser,
  authenticator: Authenticator,
  faults: Faults = {},
): Promise<DeskAnswer> {
  const options = optionsOf(await browser.get('/dashboard/passkey'));
  return browser.post('/dashboard/passkey', authenticator.get(options, faults));
}

/** Adds a passkey to the account of who is signed in. */
export async function addPasskey(
  browser: DeskBrowser,
  authenticator: Authenticator,
  name = 'Laptop',
): Promise<DeskAnswer> {
  const options = optionsOf(await browser.get('/dashboard/account'));
  return browser.post('/dashboard/account/passkeys', { ...authenticator.create(options), name });
}

// CBOR (RFC 8949), as much as authenticators write.
const head = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 255]);
export const map = (pairs: number): Buffer => head(5, pairs);
export const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
export const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
export const list = (items: readonly Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items]);
export const integer = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));

/** COSE: an ES256 key on P-256. */
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' });
  const pairs = [1, 2, 3, -7, -1, 1].map(integer);
  const points = [
    integer(-2),
    bytes(Buffer.from(x, 'base64url')),
    integer(-3),
    bytes(Buffer.from(y, 'base64url')),
  ];
  return Buffer.concat([map(5), ...pairs, ...points]);
}
