// Written by `npm run types:sdk`, from the schemas of the service.

import type { EventType } from '../../event-types.ts';

export interface EndpointSettings {
  /** URL that receives the events. */
  url: string;
  /** Whether events are sent; false: they wait, or are skipped. */
  enabled?: boolean | undefined;
  /** The types that it receives; null: all, also those that are added later. */
  event_types?: readonly EventType[] | null | undefined;
  /** A note for people. */
  description?: string | null | undefined;
  /**
   * full: the whole event. thin: its `id`, its `type` and a `link`, under which GET /v1/events/:id
   * returns it.
   */
  payload?: 'full' | 'thin' | undefined;
}

export interface SigningKeys {
  /** Where anybody reads the public keys, as a JSON Web Key Set. */
  jwks_url: string;
  /** Newest first; none before the first was created. */
  keys: readonly {
    /** The thumbprint of the key (RFC 7638). */
    kid: string;
    /** `whpk_` and the base64 of the 32 bytes of the public key. */
    public_key: string;
    /** Since when it signs. */
    created_at: string;
    /** Until when it signs; null: it is the current one. */
    expires_at: string | null;
  }[];
}

export interface RotateSigningKey {
  /**
   * How long the secret that was in force still signs webhook-signature; 0: it and all older ones end
   * at once.
   */
  overlap_hours?: number | undefined;
}

export interface Jwks {
  /** Newest first. */
  keys: readonly {
    /** Key type: an octet key pair. */
    kty: 'OKP';
    /** The curve. */
    crv: 'Ed25519';
    /** The public key, in base64url. */
    x: string;
    /** The thumbprint of the key (RFC 7638). */
    kid: string;
    /** It verifies signatures. */
    use: 'sig';
    /** The algorithm. */
    alg: 'EdDSA';
  }[];
}
