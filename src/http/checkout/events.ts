import type { Request, RequestHandler } from 'express';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../platform/errors.ts';
import { beginEvents, endEvents } from './event-stream.ts';
import type { PageStreams } from './page-streams.ts';
import { CHECKOUT_HEADERS } from './page-headers.ts';
import { addressOf } from '../api/rate-limit.ts';

/** How long a page that found no place asks by itself before it tries again. */
const FULL_RETRY_SECONDS = 60;

/**
 * The stream of a page: an event, with what /status answers, whenever its payment has another version than the page shows. 204, after
 * which browsers ask no more, where the page shows the end of the story; 429 and 503 where there is no place for another stream.
 */
export function showEvents(ctx: Context, live: PageStreams): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const payment = await findByToken(ctx.db, request.params.token);
    if (payment === null) return next();
    response.set(CHECKOUT_HEADERS);
    const { is_live } = checkoutStatus(payment, withTestClockOf(ctx, payment).now());
    const shown = shownBy(request);
    if (!is_live && shown === payment.version) return void response.status(204).end();
    const address = addressOf(request as Request);
    const refusal = live.refusal(address);
    if (refusal === 'address') throw new ApiError('rate_limited');
    if (refusal === 'process')
      return void response.status(503).set('Retry-After', String(FULL_RETRY_SECONDS)).end();
    if (request.method === 'HEAD') {
      beginEvents(response, 0);
      return endEvents(response);
    }
    live.open(payment, { shown, address, response });
    // Nothing can follow the end of the story. Coming back for more, the page is answered 204.
    if (!is_live) endEvents(response);
  };
}

/** What a browser heard last, when it comes back by itself; before, what the page was drawn with. */
function shownBy({ url, headers }: Pick<Request, 'url' | 'headers'>): string | null {
  const last = headers['last-event-id'];
  if (typeof last === 'string' && last !== '') return last;
  const [, query = ''] = url.split('?', 2);
  return new URLSearchParams(query).get('version');
}
