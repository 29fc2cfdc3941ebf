import { Type, type Static } from 'typebox';
import { nullable, timestamp } from '../../api/schemas.ts';
import { RotateSecretBody } from '../secrets/schemas.ts';

/** As for secrets: how long the key before still signs. */
export const RotateSigningKeyBody = Type.Object(
  { overlap_hours: RotateSecretBody.properties.overlap_hours },
  { additionalProperties: false, description: 'How the key that was in force ends.' },
);
export type RotateSigningKeyBody = Static<typeof RotateSigningKeyBody>;

export const SigningKeys = Type.Object({
  jwks_url: Type.String({ description: 'Where anybody reads the public keys, as a JSON Web Key Set.' }),
  keys: Type.Array(
    Type.Object({
      kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
      public_key: Type.String({ description: '`whpk_` and the base64 of the 32 bytes of the public key.' }),
      created_at: timestamp('Since when it signs.'),
      expires_at: nullable(timestamp(), 'Until when it signs; null: it is the current one.'),
    }),
    { description: 'Newest first; none before the first was created.' },
  ),
});
export type SigningKeys = Static<typeof SigningKeys>;

/** RFC 7517 and RFC 8037. */
export const Jwks = Type.Object({
  keys: Type.Array(
    Type.Object({
      kty: Type.Literal('OKP', { description: 'Key type: an octet key pair.' }),
      crv: Type.Literal('Ed25519', { description: 'The curve.' }),
      x: Type.String({ description: 'The public key, in base64url.' }),
      kid: Type.String({ description: 'The thumbprint of the key (RFC 7638).' }),
      use: Type.Literal('sig', { description: 'It verifies signatures.' }),
      alg: Type.Literal('EdDSA', { description: 'The algorithm.' }),
    }),
    { description: 'Newest first.' },
  ),
});
export type Jwks = Static<typeof Jwks>;
