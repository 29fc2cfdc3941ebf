import { ensureScheduled } from '../../schedule/store.ts';
import type { Job } from '../../schedule/job.ts';
import { withTestClockOf } from '../../payments/lifecycle/test-clock.ts';
import type { Context } from '../../../platform/context.ts';
import { run, runOne, sql, type Tx } from '../../../platform/postgres/db.ts';
import { isMailAddress } from '../../../platform/values/emails.ts';
import type { LanguageId } from '../../languages/languages.ts';
import { findByToken, type CheckoutPayment } from '../view/store.ts';
import { viewOf } from '../view/view.ts';

// The payment's row is the lock: of two addresses the first stays, and a settlement finds it or is found.
const giveMail = sql<{ id: string }, { id: string; mail: string; language: LanguageId }>(
  'give_customer_email',
  (p) => `
    UPDATE payments SET customer_email = ${p.mail}, language = ${p.language}
    WHERE id = ${p.id} AND customer_email IS NULL
    RETURNING id`,
);

const settlementOf = sql<{ id: string }, { paymentId: string }>(
  'settlement_event',
  (p) => `SELECT id FROM events WHERE payment_id = ${p.paymentId} AND type = 'checkout.settled'`,
);

/** The receipts of events: which job mails one, by the event's id, and what keeps that it is to be sent. */
export interface Receipts {
  readonly job: Job;
  readonly create: (tx: Tx, events: readonly { id: string; payment_id: string }[]) => Promise<void>;
}

/**
 * Stores the mail address to which the customer of the payment behind `token` wants their receipt, where the
 * shop gave none, with the language in which they see the page, and sends the receipt if the payment has
 * settled. It is stored once, and only for money that came: nobody can mail strangers for nothing. `closed`:
 * none is asked for; the payment: `input` is none.
 */
export async function setReceiptAddressByToken(
  ctx: Context,
  token: string,
  { mail: input, language }: { readonly mail: unknown; readonly language: LanguageId },
  receipts: Receipts,
): Promise<'saved' | 'closed' | 'missing' | { refused: CheckoutPayment }> {
  const payment = await findByToken(ctx.db, token);
  if (payment === null) return 'missing';
  const { now: nowOf, testClock } = withTestClockOf(ctx, payment);
  const now = nowOf();
  // Without a mail server nothing would be sent.
  if (ctx.config.smtpUrl === null || !viewOf(payment, now).asksForMail) return 'closed';
  const mail = typeof input === 'string' ? input.trim() : '';
  if (!isMailAddress(mail)) return { refused: payment };
  const { id, merchant_id: merchantId } = payment;
  return ctx.db.transaction(async (tx) => {
    if ((await runOne(tx, giveMail, { id, mail, language })) === null) return 'closed';
    const settlements = await run(tx, settlementOf, { paymentId: id });
    await receipts.create(
      tx,
      settlements.map((event) => ({ ...event, payment_id: id })),
    );
    const jobs = settlements.map(({ id: key }) => ({
      job: receipts.job,
      key,
      runAt: now,
      testClock,
      merchantId,
    }));
    await ensureScheduled(tx, jobs);
    return 'saved';
  });
}
