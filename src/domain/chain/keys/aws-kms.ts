import { secp256k1 } from '@noble/curves/secp256k1.js';
import { request } from 'undici';
import { addressOf, readPrivateFile, type Signature, type SigningKey } from './key-file.ts';
import { signRequest, type AwsCredentials } from './sigv4.ts';

/** A key of AWS KMS: ECC_SECG_P256K1, SIGN_VERIFY. */
export interface KmsKey {
  readonly keyId: string;
  readonly region: string;
  /** JSON with AccessKeyId, SecretAccessKey and SessionToken; read again for each request. */
  readonly credentialsFile: string;
  /** Default: that of the region. */
  readonly endpoint?: string;
}

const REQUEST_MS = 10_000;
/** What stands before the point of a public key of secp256k1 (RFC 5480). */
const SPKI = Buffer.from('3056301006072a8648ce3d020106052b8104000a034200', 'hex');

/**
 * Opens a key that never leaves AWS KMS: it signs digests, and its address follows from its public key.
 * Throws RangeError for a key of another kind, and for what KMS refuses.
 */
export async function openKmsKey(key: KmsKey): Promise<SigningKey> {
  const answer = await ask(key, 'GetPublicKey', { KeyId: key.keyId });
  const spki = Buffer.from(String(answer.PublicKey), 'base64');
  if (spki.length !== SPKI.length + 65 || !spki.subarray(0, SPKI.length).equals(SPKI))
    throw new RangeError('The key of AWS KMS is not of ECC_SECG_P256K1');
  const point = spki.subarray(SPKI.length);
  return {
    address: addressOf(point),
    async sign(digest) {
      const signed = await ask(key, 'Sign', {
        KeyId: key.keyId,
        Message: Buffer.from(digest).toString('base64'),
        MessageType: 'DIGEST',
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      return recovered(Buffer.from(String(signed.Signature), 'base64'), digest, point);
    },
  };
}

/** Returns a signature with its lower s, which alone is taken, and the parity by which the key is found. */
function recovered(der: Uint8Array, digest: Uint8Array, point: Uint8Array): Signature {
  const { r, s: signed } = secp256k1.Signature.fromBytes(der, 'der');
  const order = secp256k1.Point.Fn.ORDER;
  const s = signed > order / 2n ? order - signed : signed;
  for (const parity of [0, 1] as const) {
    const found = new secp256k1.Signature(r, s, parity).recoverPublicKey(digest).toBytes(false);
    if (Buffer.from(found).equals(point)) return { r, s, parity };
  }
  throw new RangeError('AWS KMS sent a signature of another key, or of something else');
}

async function ask(key: KmsKey, action: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(key.endpoint ?? `https://kms.${key.region}.amazonaws.com/`);
  const text = JSON.stringify(body);
  const headers = signRequest({
    url,
    body: text,
    service: 'kms',
    region: key.region,
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` },
    credentials: await credentialsOf(key),
    now: new Date(),
  });
  const signal = AbortSignal.timeout(REQUEST_MS);
  const answer = await request(url, { method: 'POST', headers, body: text, signal }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new RangeError(`AWS KMS could not be asked for ${action} (${error.code ?? error.name})`);
    },
  );
  const said = (await answer.body.json().catch(() => ({}))) as Readonly<Record<string, unknown>>;
  if (answer.statusCode === 200) return said;
  // The type of the error alone: its text may hold what was sent.
  const type = typeof said.__type === 'string' ? said.__type.replaceAll(/[^\w.#]/g, '').slice(0, 80) : '';
  throw new RangeError(`AWS KMS answered ${action} with ${answer.statusCode} ${type}`);
}

async function credentialsOf({ credentialsFile }: KmsKey): Promise<AwsCredentials> {
  const text = await readPrivateFile(credentialsFile, 'The file of AWS credentials');
  try {
    const { AccessKeyId, SecretAccessKey, SessionToken } = JSON.parse(text) as Record<string, unknown>;
    if (typeof AccessKeyId === 'string' && typeof SecretAccessKey === 'string')
      return {
        accessKeyId: AccessKeyId,
        secretAccessKey: SecretAccessKey,
        sessionToken: typeof SessionToken === 'string' ? SessionToken : null,
      };
  } catch {
    // The error of JSON.parse shows a part of the text.
  }
  throw new RangeError('The file of AWS credentials is no JSON with AccessKeyId and SecretAccessKey');
}
