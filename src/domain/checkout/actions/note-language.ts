import type { Payment } from '../../payments/lifecycle/payment.ts';
import type { Context } from '../../../platform/context.ts';
import { run, sql } from '../../../platform/postgres/db.ts';
import { messageOf } from '../../../platform/log.ts';
import type { LanguageId } from '../../languages/languages.ts';

// A row that somebody is just moving is passed over: the page does not wait for it, and notes the language the next time it is shown.
const noteLanguageOf = sql(
  'note_language',
  `UPDATE payments SET language = $2
   WHERE id = (SELECT id FROM payments WHERE id = $1 AND customer_email IS NOT NULL AND language IS DISTINCT FROM $2
     FOR NO KEY UPDATE SKIP LOCKED)`,
);

/**
 * Notes in which language the customer sees the page, for the receipts, where it is another than the last time; a payment without
 * `customer_email` gets none. It is no move of the payment. Never throws: the page is there without it.
 */
export async function noteLanguage(
  ctx: Context,
  { id, customer_email, language }: Pick<Payment, 'id' | 'customer_email' | 'language'>,
  seen: LanguageId,
): Promise<void> {
  if (customer_email === null || language === seen) return;
  try {
    await run(ctx.db, noteLanguageOf, [id, seen]);
  } catch (error) {
    ctx.log.warn('the language of a page could not be noted', { payment_id: id, error: messageOf(error) });
  }
}
