import type { Request, RequestHandler } from 'express';
import { checkoutStatus } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import type { AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import { withTestClockOf } from '../../domain/payments/lifecycle/test-clock.ts';
import type { Context } from '../../platform/context.ts';
import { ApiError } from '../../domain/api/errors.ts';
import { beginEvents, endEvents } from './event-stream.ts';
import type { PageStreams } from './page-streams.ts';
import { CHECKOUT_HEADERS, rendererFor } from './page.ts';
import type { Clients } from '../api/client-address.ts';

/** How long a refused page polls before it tries the stream again. */
const FULL_RETRY_SECONDS = 60;

/**
 * The stream of a page: an event, with the body of /status, whenever its payment has another version than the
 * page shows; for a page that names the components that it has (`have`), with those that differ. 204, after
 * which browsers stop reconnecting, when the page shows the payment's final version; 429 and 503 when the
 * limit of streams is reached.
 */
export function showEvents(
  ctx: Context,
  adapters: AdaptersByMode,
  streams: PageStreams,
  { addressOf }: Clients,
): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const payment = await findByToken(ctx.db, request.params.token);
    if (payment === null) return next();
    response.set(CHECKOUT_HEADERS);
    const { is_live } = checkoutStatus(payment, withTestClockOf(ctx, payment).now());
    const shown = shownBy(request);
    if (!is_live && shown === payment.version) return void response.status(204).end();
    const address = addressOf(request);
    const refusal = streams.refusal(address);
    if (refusal === 'address') throw new ApiError('rate_limited');
    if (refusal === 'process')
      return void response.status(503).set('Retry-After', String(FULL_RETRY_SECONDS)).end();
    if (request.method === 'HEAD') {
      beginEvents(response, 0);
      return endEvents(response);
    }
    streams.open(payment, { shown, address, response, render: rendererFor(ctx, adapters, request) });
  };
}

/**
 * The version that the page shows: of the last event when the browser reconnects by itself, else of the
 * rendered page.
 */
function shownBy({ url, headers }: Pick<Request, 'url' | 'headers'>): string | null {
  const last = headers['last-event-id'];
  if (typeof last === 'string' && last !== '') return last;
  const [, query = ''] = url.split('?', 2);
  return new URLSearchParams(query).get('version');
}
