import { finish, reschedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { messageOf } from '../../platform/log.ts';
import type { Mailer } from '../../platform/mail.ts';
import { languageFor } from '../languages/languages.ts';
import { readReceipt } from './receipt-data.ts';
import { sendReceipt } from './jobs.ts';
import { receiptMail } from './render.ts';
import { faultOf, retryAfter } from './retry.ts';
import { discardReceipts, leaseReceipt, markFailed, markSent } from './store.ts';

/**
 * Longer than any attempt: each of its steps has 15 s. The receipt of a worker that died waits for so long.
 */
const LEASE_SECONDS = 300;

/**
 * Sends customers the receipts of events, one mail for each event, without a transaction; no mail server
 * configured: sends nothing.
 *
 * At least once: a receipt that was leased and not marked is sent again when its lease ends. A worker that
 * dies between the server's reply and `markSent`, or a reply that never comes, makes a second copy; the other
 * order could make no receipt at all, which is worse for a customer who has paid. Both copies have one
 * Message-ID, by which mailboxes recognise a duplicate.
 *
 * A failed attempt does not throw: each receipt has its own retry schedule, and neither the job's other
 * receipts nor a request that advances a test clock may fail because of it.
 */
export async function sendReceipts(
  ctx: Context,
  { mailer }: { mailer: Mailer | null },
  eventIds: readonly string[],
): Promise<void> {
  if (mailer === null) {
    await discardReceipts(ctx.db, eventIds, ctx.now());
    return finish(ctx.db, sendReceipt, eventIds, ctx.now());
  }
  for (const id of eventIds) await sendOne(ctx, mailer, id);
}

async function sendOne(ctx: Context, mailer: Mailer, eventId: string): Promise<void> {
  const startedAt = ctx.now();
  const attempt = await leaseReceipt(
    ctx.db,
    eventId,
    ctx.systemNow(),
    addSeconds(ctx.systemNow(), LEASE_SECONDS),
  );
  // The worker with the lease finishes the job; if it dies, the job runs again when the lease ends.
  if (attempt === 'busy') return;
  const found = attempt === 'over' ? null : await readReceipt(ctx.db, eventId, ctx.config);
  if (attempt === 'over' || found === null) return finish(ctx.db, sendReceipt, [eventId], startedAt);
  const { to, language, receipt } = found;
  try {
    const content = receiptMail(receipt, languageFor(language ?? undefined));
    await mailer.send({ to, ...content, id: `receipt.${eventId}`, date: ctx.systemNow(), isAutomatic: true });
  } catch (error) {
    return retryOrGiveUp(ctx, { eventId, paymentId: receipt.paymentId, attempt, startedAt }, error);
  }
  await markSent(ctx.db, eventId, ctx.now());
  await finish(ctx.db, sendReceipt, [eventId], startedAt);
  ctx.log.info('receipt sent', { payment_id: receipt.paymentId, event_id: eventId });
}

async function retryOrGiveUp(
  ctx: Context,
  tried: { eventId: string; paymentId: string; attempt: number; startedAt: Date },
  error: unknown,
): Promise<void> {
  const { eventId, paymentId, attempt, startedAt } = tried;
  const fault = faultOf(error);
  const seconds = retryAfter(attempt, fault);
  await markFailed(ctx.db, eventId, messageOf(error), seconds === null ? ctx.now() : null);
  ctx.log.warn(seconds === null ? 'receipt given up' : `receipt failed, retrying in ${seconds} s`, {
    payment_id: paymentId,
    event_id: eventId,
    attempt,
    code: fault.code,
    command: fault.command,
    response_code: fault.responseCode,
  });
  if (seconds === null) return finish(ctx.db, sendReceipt, [eventId], startedAt);
  const runAt = addSeconds(ctx.now(), seconds);
  await reschedule(ctx.db, sendReceipt, eventId, { startedAt, runAt, testClock: ctx.testClock });
}
