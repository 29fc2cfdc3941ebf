import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { getJwks, getSigningKeys, rotateSigningKey } from './signing-keys/keys.ts';
import { Jwks, RotateSigningKeyBody, SigningKeys } from './signing-keys/schemas.ts';

/** A set is read by every receiver of a merchant, mostly from one address. */
const JWKS_PER_MINUTE = 600;

export const signingEndpoints = [
  endpoint({
    operationId: 'getSigningKeys',
    method: 'get',
    path: '/v1/webhooks/signing-keys',
    summary: 'Returns the public keys that verify events, and where anybody reads them.',
    description:
      'Without a key pair events are signed by secrets alone. A receiver that has only public keys cannot forge ' +
      'events, however much it leaks.',
    auth: 'required',
    permissions: ['webhooks:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: SigningKeys },
    handle: async ({ ctx, caller }) => reply(200, await getSigningKeys(ctx, caller.merchantId)),
  }),
  endpoint({
    operationId: 'rotateSigningKey',
    method: 'post',
    path: '/v1/webhooks/signing-keys',
    summary:
      'Creates a key pair, or puts a new one in force; the old one still signs until the overlap ends.',
    description:
      'From now on `webhook-signature` of every event carries `v1a,` and an ed25519 signature beside those by ' +
      'secrets. The private key never leaves the service.',
    auth: 'required',
    permissions: ['webhooks:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: RotateSigningKeyBody,
    errors: [],
    response: { status: 201, schema: SigningKeys },
    handle: ({ ctx, caller, body, claim }) => rotateSigningKey(ctx, caller, body, claim),
  }),
  endpoint({
    operationId: 'getJwks',
    method: 'get',
    path: '/v1/webhooks/jwks/:merchant_id',
    summary: "Returns a merchant's public keys as a JSON Web Key Set, to anybody.",
    description:
      'RFC 7517 with the keys of RFC 8037. Empty where there is none. A receiver may keep it for five minutes; ' +
      'a new key overlaps with the one before.',
    auth: 'optional',
    permissions: [],
    perMinute: JWKS_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: Jwks },
    handle: ({ ctx, params }) => getJwks(ctx, params['merchant_id'] ?? ''),
  }),
];
