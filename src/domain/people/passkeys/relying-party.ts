import type { Config } from '../../../platform/config/config.ts';
import type { Passkey } from './store.ts';

const TIMEOUT_MS = 300_000;
/** Ed25519, ECDSA with P-256, RSA: what authenticators have (COSE Algorithms). */
export const ALGORITHMS = [-8, -7, -257];

/** Whom passkeys are for, by PUBLIC_URL: one that was made there works nowhere else. */
export function relyingParty({ publicUrl }: Pick<Config, 'publicUrl'>) {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin, name: 'Payment checkout' };
}

/** The name that authenticators keep a person's passkeys under, and send along: their id. */
export const userHandleOf = (personId: string): string => Buffer.from(personId).toString('base64url');

const named = ({ credential_id }: Pick<Passkey, 'credential_id'>) => ({
  type: 'public-key',
  id: credential_id.toString('base64url'),
});

/**
 * What navigator.credentials.create is given, with bytes in base64url: a passkey that can be found without a
 * name, and that checks who uses it. `others`: those that the authenticator must not have already.
 */
export function creationOptions(
  config: Pick<Config, 'publicUrl'>,
  challenge: string,
  person: { readonly id: string; readonly email: string },
  others: readonly Passkey[],
) {
  const { id, name } = relyingParty(config);
  return {
    challenge,
    rp: { id, name },
    user: { id: userHandleOf(person.id), name: person.email, displayName: person.email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: TIMEOUT_MS,
    attestation: 'none',
    excludeCredentials: others.map(named),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
  };
}

/** What navigator.credentials.get is given. `own`: one of these; none: whichever the browser finds. */
export function requestOptions(
  config: Pick<Config, 'publicUrl'>,
  challenge: string,
  own: readonly Passkey[],
) {
  const { id: rpId } = relyingParty(config);
  return {
    challenge,
    rpId,
    timeout: TIMEOUT_MS,
    userVerification: 'required',
    allowCredentials: own.map(named),
  };
}
