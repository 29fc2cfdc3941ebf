import { erasePersonalData } from '../../../domain/ops/personal-data/erase.ts';
import { findPersonalData, type Whose } from '../../../domain/ops/personal-data/find.ts';
import type { Context } from '../../../platform/context.ts';
import { isId } from '../../../platform/values/ids.ts';
import { asUsageError } from './merchants.ts';
import { assertMerchant } from '../merchant-commands.ts';
import { OpsUsageError, timeOf, type OpsCommand, type OpsOutput, type OpsValues } from './command.ts';

/** As many payments are named in the result; the others are counted. */
const MAX_NAMED = 1_000;

export const eraseCommand: OpsCommand = {
  summary: "erases customers' personal data from payments, events and logs, for good",
  description:
    'Mail address, description, metadata, links back to the shop, refund addresses and reasons, senders. Amounts, ' +
    'times, hashes, deposit addresses and order_id stay. Payments that are not over are left out, and named. ' +
    'Without --confirm it only says which payments it would change.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'the merchant', isNeeded: true },
    payment: { type: 'string', value: 'ID', meaning: 'one payment' },
    email: { type: 'string', value: 'ADDRESS', meaning: 'all payments with this address of the customer' },
    before: { type: 'string', value: 'TIME', meaning: 'all that were created before (2026-01-31)' },
    confirm: { type: 'boolean', meaning: 'does it; nothing brings it back but a backup' },
  },
  changes: (values) => values.has('confirm'),
  async run(ctx, values, output) {
    const whose = whoseOf(values);
    await assertMerchant(ctx, whose.merchantId).catch(asUsageError);
    const isConfirmed = values.has('confirm');
    const { count, left, payments, refused } = await eachOf(ctx, whose, isConfirmed, output);
    const lines = refused.map(({ id, because }) => `left out  ${id}  ${because}`);
    const did = isConfirmed
      ? `Erased the personal data of ${count} payments.`
      : `Would erase the personal data of ${count} payments: write --confirm.`;
    // Not the mail address: it would be kept here.
    const { merchantId, paymentId, before } = whose;
    const by = { payment: paymentId, email: whose.email === null ? null : 'given', before };
    const facts = { merchant_id: merchantId, by, count, payments };
    return {
      facts: { ...facts, erased: isConfirmed, left_out: left, refused },
      text: [...(isConfirmed ? [] : payments), ...lines, did].join('\n'),
      isBad: left > 0,
      ...(isConfirmed ? { changed: facts } : {}),
    };
  },
};

function whoseOf(values: OpsValues): Whose {
  const [paymentId, email] = [values.text('payment'), values.text('email')];
  const before = timeOf(values, 'before');
  if (paymentId === null && email === null && before === null)
    throw new OpsUsageError('erase needs --payment, --email or --before: see npm run ops -- erase --help.');
  if (paymentId !== null && !isId('pay', paymentId))
    throw new OpsUsageError(`--payment ${paymentId} is no id of a payment.`);
  return { merchantId: values.text('merchant') ?? '', paymentId, email, before };
}

async function eachOf(ctx: Context, whose: Whose, isConfirmed: boolean, output: OpsOutput) {
  const payments: string[] = [];
  const refused: { id: string; because: string }[] = [];
  let [count, left] = [0, 0];
  for await (const page of findPersonalData(ctx.db, whose)) {
    for (const id of page) {
      const because = isConfirmed ? await erasePersonalData(ctx.db, id) : null;
      if (because === null) count += 1;
      else left += 1;
      if (because !== null && left <= MAX_NAMED) refused.push({ id, because });
      if (because === null && count <= MAX_NAMED) payments.push(id);
    }
    output.progress(`${count} payments`);
  }
  return { count, left, payments, refused };
}
