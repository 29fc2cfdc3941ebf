import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { csvLine, EXPORT_FORMATS, lineOf } from '../../../domain/exports/file.ts';
import { exportRows } from '../../../domain/exports/rows.ts';
import { EXPORT_KINDS } from '../../../domain/exports/statements.ts';
import { erasePersonalData } from '../../../domain/ops/personal-data/erase.ts';
import { findPersonalData, type Whose } from '../../../domain/ops/personal-data/find.ts';
import type { Context } from '../../../platform/context.ts';
import { isId } from '../../../platform/values/ids.ts';
import { assertMerchant } from '../merchant-commands.ts';
import { OpsUsageError, timeOf, type OpsCommand, type OpsOutput, type OpsValues } from '../shared/command.ts';
import { asUsageError } from './merchants.ts';

export const exportCommand: OpsCommand = {
  summary: "writes a merchant's payments, transfers, ledger, refunds, sales or events as NDJSON or CSV",
  description:
    'The rows of the payments that were created from --from on and before --to, the oldest payment first. It reads ' +
    'a page at a time. Amounts are text. Mail addresses and addresses of coins are in it: keep it as such.',
  options: {
    merchant: { type: 'string', value: 'ID', meaning: 'the merchant', isNeeded: true },
    kind: { type: 'string', value: 'KIND', meaning: EXPORT_KINDS.join(', '), isNeeded: true },
    from: {
      type: 'string',
      value: 'TIME',
      meaning: 'payments created since (2026-01-31 or 2026-01-31T12:00:00Z)',
    },
    to: { type: 'string', value: 'TIME', meaning: 'payments created before' },
    format: { type: 'string', value: 'FORMAT', meaning: 'ndjson (default) or csv' },
    out: { type: 'string', value: 'FILE', meaning: 'a new file; default: standard output. --json needs it' },
  },
  changes: () => true,
  async run(ctx, values, output) {
    const kind = oneOf('kind', EXPORT_KINDS, values.text('kind') ?? '');
    const format = oneOf('format', EXPORT_FORMATS, values.text('format') ?? 'ndjson');
    const file = values.text('out');
    if (file === null && values.has('json')) throw new OpsUsageError('export --json needs --out FILE.');
    const merchantId = values.text('merchant') ?? '';
    const range = { merchantId, from: timeOf(values, 'from'), to: timeOf(values, 'to') };
    await assertMerchant(ctx, merchantId).catch(asUsageError);
    const target = file === null ? output : fileOutput(file);
    let rows = 0;
    for await (const page of exportRows(ctx, kind, range)) {
      const [first] = page;
      if (format === 'csv' && rows === 0 && first !== undefined)
        await target.write(csvLine(Object.keys(JSON.parse(first) as object)));
      await target.write(page.map((row) => lineOf(row, format)).join(''));
      rows += page.length;
    }
    if (file !== null) await target.end();
    const facts = { merchant_id: merchantId, kind, format, rows, file };
    return { facts, text: file === null ? '' : `${rows} rows of ${kind} in ${file}.`, changed: facts };
  },
};

function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new OpsUsageError(`--${option} ${given} is not one of ${known.join(', ')}.`);
}

/** A file that only its owner can read; one that exists is not overwritten. */
export function fileOutput(path: string): Pick<OpsOutput, 'write' | 'end'> {
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let fault: Error | null = null;
  stream.on('error', (error) => (fault = error));
  const check = () => {
    if (fault !== null) throw new OpsUsageError(`--out ${path} cannot be written: ${fault.message}`);
  };
  return {
    async write(text) {
      check();
      if (!stream.write(text)) await once(stream, 'drain').catch(check);
    },
    async end() {
      check();
      stream.end();
      // One that could not be opened may have closed before: nothing would come of waiting for it.
      if (!stream.closed) await once(stream, 'close').catch(check);
      check();
    },
  };
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
