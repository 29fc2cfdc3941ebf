import type { Config } from '../../../platform/config/config.ts';
import { ALGORITHMS, relyingParty } from './relying-party.ts';
import type { StoredKey } from './store.ts';

/** Loaded at first use: 0.7 MB and 50 ms that no other request needs. */
const library = () => import('@simplewebauthn/server');
const helpers = () => import('@simplewebauthn/server/helpers');

/** What a browser returns of a new passkey, in base64url. */
export interface Attestation {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly attestationObject: string;
}

/** What a browser returns of a passkey that was used, in base64url. */
export interface Assertion {
  readonly id: string;
  readonly clientDataJSON: string;
  readonly authenticatorData: string;
  readonly signature: string;
  readonly userHandle: string;
}

/** Whether the challenge that was signed is one of ours: it is used up by that. */
type TakeChallenge = (challenge: string) => Promise<boolean>;

/**
 * Returns the key of a new passkey that was made at our origin, for us, by a person whom the authenticator
 * has verified; null: anything of it is wrong.
 */
export async function verifyAttestation(
  config: Pick<Config, 'publicUrl'>,
  { id, ...response }: Attestation,
  takeChallenge: TakeChallenge,
): Promise<{ credentialId: Buffer; publicKey: Buffer; counter: number } | null> {
  const { verifyRegistrationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(config);
  try {
    await assertNoCertificates(response.attestationObject);
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: takeChallenge,
      expectedOrigin,
      expectedRPID,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) return null;
    const { credential } = registrationInfo;
    const credentialId = Buffer.from(credential.id, 'base64url');
    return { credentialId, publicKey: Buffer.from(credential.publicKey), counter: credential.counter };
  } catch {
    return null;
  }
}

/**
 * Throws where a statement holds certificates: none is asked for, and to look at one the library may ask a
 * server that the certificate names.
 */
async function assertNoCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await helpers();
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  const isOwnKey = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isOwnKey) throw new Error('attestation with certificates');
}

/**
 * Returns the counter of an assertion that the key has signed at our origin, for us, after the authenticator
 * has verified its person; null: anything of it is wrong. Whether the counter went back is for the caller to
 * judge: here it is known to be the authenticator's own.
 */
export async function verifyAssertion(
  config: Pick<Config, 'publicUrl'>,
  { id, userHandle, ...signed }: Assertion,
  key: StoredKey,
  takeChallenge: TakeChallenge,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  const { id: expectedRPID, origin: expectedOrigin } = relyingParty(config);
  try {
    const response = { ...signed, ...(userHandle === '' ? {} : { userHandle }) };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response },
      expectedChallenge: takeChallenge,
      expectedOrigin,
      expectedRPID,
      credential: { id, publicKey: new Uint8Array(key.public_key), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch {
    return null;
  }
}
