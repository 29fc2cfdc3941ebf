import type { Payment } from '../../payments/lifecycle/payment.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { messageOf } from '../../../platform/log.ts';
import type { LanguageId } from '../../languages/languages.ts';

// SKIP LOCKED: the page does not wait for a transition of its payment; the next view records the language.
const updateLanguage = sql<never, { paymentId: string; language: LanguageId }>(
  'record_language',
  (p) => `
  UPDATE payments SET language = ${p.language}
  WHERE id = (
    SELECT id FROM payments
    WHERE id = ${p.paymentId} AND customer_email IS NOT NULL AND language IS DISTINCT FROM ${p.language}
    FOR NO KEY UPDATE SKIP LOCKED
  )`,
);

/**
 * Records the language in which the customer sees the page when it has changed: receipts are written in it. A
 * payment without `customer_email` gets no receipts, and keeps none. It is no transition of the payment.
 * Never throws: the page works without it.
 */
export async function recordLanguage(
  ctx: Context,
  { id, customer_email, language }: Pick<Payment, 'id' | 'customer_email' | 'language'>,
  current: LanguageId,
): Promise<void> {
  if (customer_email === null || language === current) return;
  try {
    await run(ctx.db, updateLanguage, { paymentId: id, language: current });
  } catch (error) {
    ctx.log.warn('checkout page: language not recorded, receipts keep the one before', {
      payment_id: id,
      error: messageOf(error),
    });
  }
}
