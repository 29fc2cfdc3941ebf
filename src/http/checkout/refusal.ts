import type { Request, Response } from 'express';
import { pageCsp } from '../../domain/checkout/page/document.ts';
import { embeddersOf } from '../../domain/checkout/page/embedding.ts';
import { messagePage, type Message } from '../../domain/checkout/page/messages.ts';
import { checkoutPath, languageQuery } from '../../domain/checkout/page/page.ts';
import { findByToken } from '../../domain/checkout/view/store.ts';
import { adaptersOf, type AdaptersByMode } from '../../domain/payments/lifecycle/ports.ts';
import type { Context } from '../../platform/context.ts';
import { languageOf } from './page.ts';
import { sendPage } from './send-page.ts';

/** Answers a form with a message that leads back to the payment's page, and says TEST as that does. */
export async function sendRefusal(
  { ctx, adapters }: { ctx: Context; adapters: AdaptersByMode },
  request: Request<{ token: string }>,
  response: Response,
  { status, message }: { status: number; message: Message },
): Promise<void> {
  const { token } = request.params;
  const { language, chosen } = languageOf(request);
  const payment = await findByToken(ctx.db, token);
  const isSimulated = payment !== null && adaptersOf(adapters, payment.merchant_mode).isSimulated;
  const about = { path: checkoutPath(token), query: languageQuery(chosen), isSimulated };
  await sendPage(request, response.status(status), {
    html: messagePage(message, language, about),
    policy: pageCsp(null, payment === null ? [] : embeddersOf(payment)),
  });
}
