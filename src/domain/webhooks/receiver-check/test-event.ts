import { onceAfterwards } from '../../idempotency/afterwards.ts';
import { sampleEvent, samplePayment } from '../../payments/sample.ts';
import type { Context } from '../../../platform/context.ts';
import { reply, type Caller, type IdempotencyClaim, type Reply } from '../../api/endpoint.ts';
import { signWebhook } from '../../../sdk/sign.ts';
import type { WebhookClient } from '../client/client.ts';
import { resolveTarget, sendWithin, TEST_HEADERS } from './target.ts';
import type { TestEventBody, TestEventReport } from './schemas.ts';

/**
 * Sends the merchant's receiver one signed event of a payment that does not exist, and returns the result.
 * Stores only the reply to a request with an idempotency key, and does not retry. Throws ValidationError
 * where there is no URL, and what `sendWithin` throws.
 */
export async function sendTestEvent(
  ctx: Context,
  caller: Caller,
  { body, claim, client }: { body: TestEventBody; claim: IdempotencyClaim | null; client: WebhookClient },
): Promise<Reply> {
  return onceAfterwards(ctx.db, claim, ctx.now(), async () => {
    const { url, ...signers } = await resolveTarget(ctx, caller.merchantId, body);
    const event = sampleEvent(ctx, samplePayment(ctx, caller), body.type ?? 'checkout.settled');
    const signed = { eventId: event.id, rawBody: event.body, ...signers, now: ctx.systemNow() };
    const headers = { ...signWebhook(signed), ...TEST_HEADERS };
    const result = await sendWithin(ctx, caller, client, { url, headers, body: event.body });
    ctx.log.info('test event sent', {
      merchant_id: caller.merchantId,
      event_id: event.id,
      status_code: result.statusCode,
    });
    const report: TestEventReport = {
      event: JSON.parse(event.body) as TestEventReport['event'],
      url,
      delivered: result.ok,
      status_code: result.statusCode,
      error: result.errorDetail,
      duration_ms: Math.round(result.durationMs),
      response_excerpt: result.excerpt,
    };
    return reply(200, report);
  });
}
