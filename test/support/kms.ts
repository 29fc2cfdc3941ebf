import { secp256k1 } from '@noble/curves/secp256k1.js';
import { startReceiver } from './receivers.ts';

/** What stands before the point of a public key of secp256k1. */
const SPKI = '3056301006072a8648ce3d020106052b8104000a034200';

/** AWS KMS with one key, as far as the signer asks it. */
export interface Kms {
  readonly endpoint: string;
  /** What happens before it answers. */
  before: (() => unknown) | null;
  close(): Promise<void>;
}

export async function startKms(secret: Uint8Array): Promise<Kms> {
  const held = { before: null as Kms['before'] };
  const receiver = await startReceiver({
    answer({ headers, rawBody }) {
      try {
        held.before?.();
      } catch {
        return { status: 503 };
      }
      const { Message = '' } = JSON.parse(rawBody.toString()) as { Message?: string };
      const answer =
        headers['x-amz-target'] === 'TrentService.Sign'
          ? { Signature: base64(signed(Buffer.from(Message, 'base64'))) }
          : { PublicKey: base64(Buffer.from(SPKI, 'hex'), secp256k1.getPublicKey(secret, false)) };
      return { headers: { 'Content-Type': 'application/x-amz-json-1.1' }, body: JSON.stringify(answer) };
    },
  });
  // Not the one of RFC 6979: KMS signs the same digest otherwise each time.
  const signed = (digest: Uint8Array) =>
    secp256k1.sign(digest, secret, { prehash: false, format: 'der', extraEntropy: true });
  return {
    endpoint: `http://127.0.0.1:${receiver.port}/`,
    get before() {
      return held.before;
    },
    set before(before) {
      held.before = before;
    },
    close: () => receiver.close(),
  };
}

const base64 = (...parts: Uint8Array[]): string => Buffer.concat(parts).toString('base64');
