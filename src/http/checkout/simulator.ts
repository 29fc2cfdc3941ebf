import { Router, type RequestHandler } from 'express';
import { simulateByToken, type SimulationResult } from '../../domain/checkout/actions/simulate.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import { messagePage } from '../../domain/checkout/page/messages.ts';
import type { Sandbox } from '../../domain/sandbox/test-clock/sandbox.ts';
import type { Context } from '../../platform/context.ts';
import { readForm } from './forms.ts';
import { languageOf } from './page.ts';
import { PAGE_HEADERS } from './page-headers.ts';

const STATUS_OF: Readonly<Record<Exclude<SimulationResult, 'played' | 'missing'>, number>> = {
  badPlay: 400,
  playOver: 409,
  playHeld: 409,
};

/** Where the panel of test payments sends its form; behind the checkout's router, whose limit counts it. */
export function simulatorRouter(ctx: Context, sandbox: Sandbox): Router {
  const router = Router();
  router.post('/checkout/:token/simulate', readForm, simulate(ctx, sandbox));
  return router;
}

function simulate(ctx: Context, sandbox: Sandbox): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { token } = request.params;
    const { do: wanted } = (request.body ?? {}) as Record<string, unknown>;
    const { language, chosen } = languageOf(request);
    const played = await simulateByToken(ctx, sandbox, token, wanted);
    if (played === 'missing') return next();
    const page = `${checkoutPath(token)}${languageQuery(chosen)}`;
    // `#status`: what the play has done is said there.
    if (played === 'played') return response.set(PAGE_HEADERS).redirect(303, `${page}#status`);
    response
      .status(STATUS_OF[played])
      .set(PAGE_HEADERS)
      .send(messagePage(played, language, page));
  };
}
