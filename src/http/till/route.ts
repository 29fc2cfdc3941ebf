import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Place } from '../../domain/people/sessions/store.ts';
import type { PairedTill } from '../../domain/tills/opening.ts';
import type { Context } from '../../platform/context.ts';
import type { TillPage } from './document.ts';

/** A request of a till that is open, without Express. */
export interface TillVisit extends Place {
  readonly ctx: Context;
  readonly adapters: AdaptersByMode;
  readonly till: PairedTill;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** A form's fields; what a form has not is empty. */
  readonly field: (name: string) => string;
}

/** `to`: leads on with a GET, so that a reload posts nothing again. `missing`: the till has no such thing. */
export type TillReply = TillPage | { readonly to: string } | 'missing';

/** A page of a till, or a form of it, for its devices that are open. */
export interface TillRoute {
  /** Unique: the name of its rate limit. */
  readonly name: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  /** Requests per 60 s and device, before RATE_LIMIT_SCALE. */
  readonly perMinute: number;
  handle(visit: TillVisit): Promise<TillReply>;
}

/** A number in a path; null: it is none. */
export function numberOf(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}
