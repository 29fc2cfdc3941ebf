import type { Static, TObject, TSchema } from 'typebox';
import type { Context } from './context.ts';

export const PERMISSIONS = [
  'payments:read',
  'payments:write',
  'refunds:write',
  'webhooks:read',
  'webhooks:write',
  'webhooks:secrets',
  'sandbox:write',
] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** The merchant behind an API key, with what a request needs to know of it. */
export interface Caller {
  readonly merchantId: string;
  readonly settlementCurrency: string;
  readonly settlementNetwork: string;
  readonly permissions: readonly Permission[];
  readonly mode: Mode;
  /** The merchant's choices for underpaid, late and overpaid payments. */
  readonly policy: unknown;
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

export interface EndpointRequest<Body, Query, Auth extends 'required' | 'optional'> {
  readonly ctx: Context;
  readonly caller: Auth extends 'required' ? Caller : Caller | null;
  readonly params: Readonly<Record<string, string>>;
  readonly body: Body;
  readonly query: Query;
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
  readonly method: 'get' | 'put' | 'post';
  /** Path with `:name` parameters. */
  readonly path: string;
  readonly summary: string;
  readonly auth: Auth;
  readonly permission: Permission | null;
  /** Refused to live merchants, regardless of their keys' permissions. */
  readonly testOnly?: boolean;
  /** Requests per 60 s and merchant, before RATE_LIMIT_SCALE. */
  readonly perMinute: number;
  readonly body?: Body;
  readonly query?: Query;
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
