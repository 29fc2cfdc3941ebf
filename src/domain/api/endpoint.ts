import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from '../../platform/context.ts';
import type { ApiErrorCode } from './errors.ts';

export const PERMISSIONS = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'webhooks:read',
  'webhooks:write',
  'webhooks:secrets',
  'checkout:write',
  'wallets:read',
  'sandbox:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The merchant behind an API key, with what a request needs to know of it. */
export interface Caller {
  readonly merchantId: string;
  readonly settlementCurrency: string;
  readonly settlementNetwork: string;
  readonly permissions: readonly Permission[];
  /** From then on its key is refused; absent: never. */
  readonly expiresAt?: Date;
  /** Addresses and networks from which its key is taken; absent: from everywhere. */
  readonly addresses?: readonly string[];
  readonly mode: Mode;
  /** The merchant's choices for underpaid, late and overpaid payments. */
  readonly policy: unknown;
  /** The wallets in use for its live payments, by family: its own, or the installation's default. */
  readonly wallets?: Readonly<Record<string, string>>;
  /** The exchange at whose account its live payments take money, instead of wallets; absent: none. */
  readonly exchange?: string;
  /** An operator has suspended the merchant: its keys may do nothing. */
  readonly isSuspended?: true;
  /** The merchant is in another cell: what is left of it here is no longer true. */
  readonly hasMoved?: true;
}

/** A merchant has one mode for good: test merchants may use the sandbox, live ones have real money. */
export type Mode = 'test' | 'live';

/** A request's claim to run once: the scope of its Idempotency-Key and a hash of its body. */
export interface IdempotencyClaim {
  readonly merchantId: string;
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly bodyHash: Buffer;
}

/** A JSON response; `text` is its body, byte for byte. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A response with `value` as JSON. */
export function reply(status: number, value: unknown): Reply {
  return { status, text: JSON.stringify(value) };
}

export interface UploadedFile {
  /** One of those that the endpoint accepts, without parameters. */
  readonly type: string;
  readonly bytes: Buffer;
}

export interface EndpointRequest<Body, Query, Auth extends 'required' | 'optional'> {
  readonly ctx: Context;
  readonly caller: Auth extends 'required' ? Caller : Caller | null;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
  /** The body of an endpoint that `accepts` files, with its media type; null: there is none. */
  readonly file: UploadedFile | null;
  /** Null: the request has no Idempotency-Key. */
  readonly claim: IdempotencyClaim | null;
  /** Whether the client has closed the connection: long work then ends, because nobody reads the response. */
  readonly isAbandoned: () => boolean;
}

/** An endpoint as a value: mounted as a route, and described by the OpenAPI document. */
export interface Endpoint<
  Body extends TSchema = TSchema,
  Query extends TObject = TObject,
  Auth extends 'required' | 'optional' = 'required' | 'optional',
> {
  readonly operationId: string;
  readonly method: 'get' | 'put' | 'post' | 'delete';
  /** Path with `:name` parameters. */
  readonly path: string;
  /** What it does, in a sentence. */
  readonly summary: string;
  /** What the summary leaves out, in CommonMark: what changes, what comes back, and what to do with it. */
  readonly description: string;
  readonly auth: Auth;
  /** All of them are needed; none: whoever has a key. */
  readonly permissions: readonly Permission[];
  /** Refused to live merchants, regardless of their keys' permissions. */
  readonly testOnly?: boolean;
  /** Requests per 60 s and merchant, before RATE_LIMIT_SCALE. */
  readonly perMinute: number;
  readonly body?: Body;
  /** The media types of a body that is a file instead of JSON. */
  readonly accepts?: readonly string[];
  readonly query?: Query;
  /** Its own errors, beside those that follow from the rest (http/openapi/errors.ts). */
  readonly errors: readonly ApiErrorCode[];
  readonly response: { readonly status: number; readonly schema: TSchema };
  handle(request: EndpointRequest<Static<Body>, Static<Query>, Auth>): Promise<Reply>;
}

/** The limit of endpoints without one in the specification. */
export const DEFAULT_PER_MINUTE = 60;

/** Declares an endpoint; the types of body and query follow from their schemas. */
export function endpoint<Body extends TSchema, Query extends TObject, Auth extends 'required' | 'optional'>(
  declaration: Endpoint<Body, Query, Auth>,
): Endpoint {
  return declaration;
}
