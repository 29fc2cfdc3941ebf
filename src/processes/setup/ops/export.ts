import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { csvLine, EXPORT_KINDS, exportRows, type ExportRow } from '../../../domain/ops/export.ts';
import { assertMerchant } from '../merchant-commands.ts';
import { OpsUsageError, timeOf, type OpsCommand, type OpsOutput } from './command.ts';
import { asUsageError } from './merchants.ts';

const FORMATS = ['ndjson', 'csv'] as const;

export const exportCommand: OpsCommand = {
  summary: "writes a merchant's payments, transfers, ledger, refunds or events as NDJSON or CSV",
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
    const format = oneOf('format', FORMATS, values.text('format') ?? 'ndjson');
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
        await target.write(csvLine(Object.keys(first)));
      await target.write(page.map((row) => lineOf(row, format)).join(''));
      rows += page.length;
    }
    if (file !== null) await target.end();
    const facts = { merchant_id: merchantId, kind, format, rows, file };
    return { facts, text: file === null ? '' : `${rows} rows of ${kind} in ${file}.`, changed: facts };
  },
};

function lineOf(row: ExportRow, format: (typeof FORMATS)[number]): string {
  return format === 'csv' ? csvLine(Object.values(row)) : `${JSON.stringify(row)}\n`;
}

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
