import { finish, reschedule } from '../schedule/store.ts';
import { addSeconds } from '../../platform/clock.ts';
import type { Context } from '../../platform/context.ts';
import { messageOf } from '../../platform/log.ts';
import { mailerOf, type Mailer } from '../../platform/mail.ts';
import { languageFor } from '../languages/languages.ts';
import { readReceipt } from './receipt-data.ts';
import { sendReceipt } from './jobs.ts';
import { receiptMail } from './render.ts';
import { faultOf, retryAfter } from './retry.ts';
import { leaseReceipt, markFailed, markSent } from './store.ts';

/**
 * Longer than any sending takes: every step of one has 15 s. Nobody else sends the receipt meanwhile; that of a worker that died
 * waits for so long.
 */
const LEASE_SECONDS = 300;

/**
 * Sends customers the receipts of events, one mail for each, with no transaction open meanwhile; nothing where no mail server is set.
 *
 * At least once: what was claimed and not recorded is sent again when the claim ends. A worker that dies between the server's answer
 * and our record, or an answer that never comes, makes a second copy; the other order would make no receipt at all, which is worse for
 * somebody who has paid. Both copies bear one Message-ID, by which mailboxes know them for the same.
 *
 * A mail server's fault is no throw: the receipt has a schedule of its own, and neither the others of the job nor a request that winds
 * a clock fail because of it.
 */
export async function sendReceipts(ctx: Context, eventIds: readonly string[]): Promise<void> {
  const mailer = mailerOf(ctx.config);
  if (mailer === null) return finish(ctx.db, sendReceipt, eventIds, ctx.now());
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
  // Whoever has it finishes the work; should he die, it comes back by its lease.
  if (attempt === 'busy') return;
  const receipt = attempt === 'over' ? null : await readReceipt(ctx.db, eventId, ctx.config.publicUrl);
  if (attempt === 'over' || receipt === null) return finish(ctx.db, sendReceipt, [eventId], startedAt);
  const { to, language, facts } = receipt;
  try {
    const content = receiptMail(facts, languageFor(language ?? undefined));
    await mailer.send({ to, ...content, id: `receipt.${eventId}`, date: ctx.systemNow(), isAutomatic: true });
  } catch (error) {
    return retryOrGiveUp(ctx, { eventId, paymentId: facts.paymentId, attempt, startedAt }, error);
  }
  await markSent(ctx.db, eventId, ctx.now());
  await finish(ctx.db, sendReceipt, [eventId], startedAt);
  ctx.log.info('receipt sent', { payment_id: facts.paymentId, event_id: eventId });
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
  ctx.log.warn(seconds === null ? 'receipt given up' : 'receipt will be tried again', {
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
