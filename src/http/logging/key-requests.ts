import type { Request, RequestHandler, Response } from 'express';
import {
  ERRORS_KEPT,
  recordRequests,
  type Outcome,
  type RequestCount,
  type RequestError,
} from '../../domain/merchants/requests/record.ts';
import type { Context } from '../../platform/context.ts';
import { faultOf } from '../../platform/logging/reasons.ts';
import { factsOf } from './access-log.ts';

/** How long requests are collected: so late a page shows them. */
const COLLECT_MS = 2_000;
/** Bounds what is collected while the database is away, to about 2 MB each. */
const MOST_COUNTS = 10_000;
const MOST_ERRORS = 10_000;
const HOUR_MS = 3_600_000;

type Counted = Omit<RequestCount, 'count'>;

/**
 * What the keys of merchants asked for, collected in this process and stored together a moment later: a
 * request does not wait for it, nor fail with it.
 */
export class KeyRequests {
  readonly #ctx: Pick<Context, 'db' | 'log' | 'systemNow'>;
  #counts = new Map<string, { of: Counted; count: number }>();
  #errors: RequestError[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(ctx: Pick<Context, 'db' | 'log' | 'systemNow'>) {
    this.#ctx = ctx;
  }

  /** Collects requests below its path as their responses end. Those without a valid key are nobody's. */
  readonly collect: RequestHandler = (request, response, next) => {
    response.once('finish', () => this.#note(request, response));
    next();
  };

  #note(request: Request, response: Response): void {
    const { key } = factsOf(response);
    const merchantId = response.locals.keyOf as string | undefined;
    if (key === undefined || merchantId === undefined) return;
    const at = this.#ctx.systemNow();
    const outcome = outcomeOf(response.statusCode);
    const hour = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS;
    const name = `${merchantId} ${key} ${hour} ${outcome}`;
    const known = this.#counts.get(name);
    if (known !== undefined) known.count += 1;
    else if (this.#counts.size < MOST_COUNTS)
      this.#counts.set(name, {
        of: { merchant_id: merchantId, key_prefix: key, hour: new Date(hour), outcome },
        count: 1,
      });
    // Of a program that does nothing but fail the first errors tell as much as all.
    const isKept = (known?.count ?? 0) <= ERRORS_KEPT && this.#errors.length < MOST_ERRORS;
    if (outcome !== 'served' && isKept)
      this.#errors.push(errorOf(request, response, { merchantId, key, at }));
    this.#timer ??= setTimeout(() => void this.store(), COLLECT_MS).unref();
  }

  /** Stores what was collected so far. Without an error: what cannot be stored is lost, and logged. */
  async store(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const [counts, errors] = [[...this.#counts.values()], this.#errors];
    this.#counts = new Map();
    this.#errors = [];
    try {
      await recordRequests(
        this.#ctx.db,
        counts.map(({ of, count }) => ({ ...of, count })),
        errors,
      );
    } catch (error) {
      this.#ctx.log.warn('requests of keys were not recorded', faultOf(error));
    }
  }
}

function outcomeOf(status: number): Outcome {
  if (status < 400) return 'served';
  if (status === 429) return 'limited';
  return status < 500 ? 'refused' : 'failed';
}

function errorOf(
  request: Request,
  response: Response,
  { merchantId, key, at }: { merchantId: string; key: string; at: Date },
): RequestError {
  const route = (request.route as { path?: unknown } | undefined)?.path;
  return {
    merchant_id: merchantId,
    key_prefix: key,
    at,
    method: request.method,
    route: typeof route === 'string' ? route : 'none',
    status: response.statusCode,
    reason: factsOf(response).reason ?? null,
    request_id: String(response.getHeader('X-Request-Id') ?? ''),
  };
}
