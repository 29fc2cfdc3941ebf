import { Router, type RequestHandler } from 'express';
import { simulateByToken, type SimulationResult } from '../../domain/checkout/actions/simulate.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import type { Sandbox } from '../../domain/sandbox/test-clock/sandbox.ts';
import type { Context } from '../../platform/context.ts';
import { readForm } from './forms.ts';
import { languageOf, PAGE_HEADERS } from './page.ts';
import { sendRefusal } from './refusal.ts';

const STATUS_OF: Readonly<Record<Exclude<SimulationResult, 'done' | 'missing'>, number>> = {
  badAction: 400,
  actionOver: 409,
  clockBusy: 409,
};

/**
 * Receives the form of the simulator's panel. It is mounted behind the checkout's router, whose rate limit
 * counts it.
 */
export function simulatorRouter(ctx: Context, sandbox: Sandbox): Router {
  const router = Router();
  router.post('/checkout/:token/simulate', readForm, simulate(ctx, sandbox));
  return router;
}

function simulate(ctx: Context, sandbox: Sandbox): RequestHandler<{ token: string }> {
  return async (request, response, next) => {
    const { token } = request.params;
    const { do: action } = (request.body ?? {}) as Record<string, unknown>;
    const { chosen } = languageOf(request);
    const result = await simulateByToken(ctx, sandbox, token, action);
    if (result === 'missing') return next();
    const page = `${checkoutPath(token)}${languageQuery(chosen)}`;
    // `#status` shows what the action has changed.
    if (result === 'done') return response.set(PAGE_HEADERS).redirect(303, `${page}#status`);
    const { adapters } = sandbox;
    const refusal = { status: STATUS_OF[result], message: result };
    return sendRefusal({ ctx, adapters }, request, response, refusal);
  };
}
