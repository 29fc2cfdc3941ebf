import { EXPORT_FORMATS, fileOf } from '../../../domain/exports/file.ts';
import { exportRows, findCursor } from '../../../domain/exports/rows.ts';
import { EXPORT_KINDS } from '../../../domain/exports/statements.ts';
import { erasePersonalData } from '../../../domain/ops/personal-data/erase.ts';
import { findPersonalData, type Whose } from '../../../domain/ops/personal-data/find.ts';
import { STATUSES } from '../../../domain/payments/lifecycle/states.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';
import { isId } from '../../../platform/values/ids.ts';
import { assertMerchant } from '../merchant-commands.ts';
import { OpsUsageError, timeOf, type OpsCommand, type OpsOutput, type OpsValues } from '../shared/command.ts';
import { fileOutput } from '../shared/output.ts';
import { asUsageError } from './merchants.ts';

export const exportCommand: OpsCommand = {
  summary: "writes a merchant's payments, transfers, ledger, refunds, sales or events as NDJSON or CSV",
  description:
    'The rows of the payments that were created on --from or later and before --to, the oldest payment first. It ' +
    'reads a page at a time. The last line of a whole file is "end" with the number of rows. A file without it was ' +
    'cut: keep it up to its last whole line, write the rest with its last column as --after, and append that. ' +
    'Amounts are text. Mail addresses and addresses of coins are in it: keep it as such.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'the merchant', isNeeded: true },
    kind: { type: 'string', value: 'KIND', meaning: EXPORT_KINDS.join(', '), isNeeded: true },
    from: {
      type: 'string',
      value: 'TIME',
      meaning: 'payments created since (2026-01-31 or 2026-01-31T12:00:00Z)',
    },
    to: { type: 'string', value: 'TIME', meaning: 'payments created before' },
    status: { type: 'string', value: 'STATUS,...', meaning: 'payments with one of them' },
    'order-id': { type: 'string', value: 'ORDER', meaning: 'payments of an order, or of a link' },
    after: { type: 'string', value: 'CURSOR', meaning: 'goes on behind a row, by its last column' },
    format: { type: 'string', value: 'FORMAT', meaning: 'ndjson (default) or csv' },
    out: { type: 'string', value: 'FILE', meaning: 'a new file; default: standard output. --json needs it' },
  },
  changes: () => true,
  async run(ctx, values, output) {
    const kind = oneOf('kind', EXPORT_KINDS, values.text('kind') ?? '');
    const format = oneOf('format', EXPORT_FORMATS, values.text('format') ?? 'ndjson');
    const file = values.text('out');
    if (file === null && values.has('json')) throw new OpsUsageError('export --json needs --out FILE.');
    const range = await rangeOf(ctx, values);
    const target = file === null ? output : fileOutput(file);
    const reached: Reached = { rows: 0, cursor: values.text('after') };
    const pages = reaching(exportRows(ctx, kind, range), reached);
    for await (const text of fileOf(pages, { format, isContinued: range.after !== null }))
      await target.write(text);
    const whole = `${reached.rows} rows of ${kind} in ${file ?? 'standard output'}: it is whole.`;
    await target.end(whole);
    const facts = { merchant_id: range.merchantId, kind, format, rows: reached.rows, file };
    return { facts, text: file === null ? '' : whole, changed: facts };
  },
};

async function rangeOf(ctx: Context, values: OpsValues) {
  const merchantId = values.text('merchant') ?? '';
  const [from, to] = [timeOf(values, 'from'), timeOf(values, 'to')];
  const statuses = values
    .text('status')
    ?.split(',')
    .map((one) => oneOf('status', STATUSES, one));
  await assertMerchant(ctx, merchantId).catch(asUsageError);
  const cursor = values.text('after');
  const after = cursor === null ? null : await findCursor(ctx, merchantId, cursor);
  if (cursor !== null && after === null)
    throw new OpsUsageError(`--after ${cursor} is the last column of no row of this merchant.`);
  return { merchantId, from, to, after, statuses, orderId: values.text('order-id') ?? undefined };
}

/** How far a file has come: all before is written in whole lines. */
interface Reached {
  rows: number;
  /** The last column of the last row; null: there is none yet. */
  cursor: string | null;
}

/** Hands pages on, and says where to go on when one of them cannot be read. */
async function* reaching(
  pages: AsyncIterable<readonly string[]>,
  reached: Reached,
): AsyncGenerator<readonly string[]> {
  try {
    for await (const page of pages) {
      yield page;
      reached.rows += page.length;
      const last = page.at(-1);
      if (last !== undefined) reached.cursor = (JSON.parse(last) as { cursor: string }).cursor;
    }
  } catch (error) {
    const next = reached.cursor === null ? 'Run it again' : `Go on with --after ${reached.cursor}`;
    throw new StartError(`The file is cut behind ${reached.rows} rows: ${messageOf(error)}. ${next}.`);
  }
}

function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new OpsUsageError(`--${option} ${given} is not one of ${known.join(', ')}.`);
}

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
