import { csvLine } from '../../../domain/exports/file.ts';
import { exportDeposits, type DepositRow } from '../../../domain/wallets/export.ts';
import { getWallet } from '../../../domain/wallets/set.ts';
import type { Context } from '../../../platform/context.ts';
import { fileOutput, standardOutput } from '../shared/output.ts';
import { UsageError, type Values } from '../merchant-commands.ts';

const COLUMNS = ['index', 'path', 'address', 'payment_id', 'network', 'coin', 'received'] as const;

const LINES: Readonly<Record<string, (row: DepositRow) => string>> = {
  csv: (row) => csvLine(COLUMNS.map((column) => row[column])),
  ndjson: (row) => `${JSON.stringify(row)}\n`,
};

/**
 * Writes the addresses of a wallet and what came to them, a page at a time, to a new file or standard
 * output.
 */
export async function exportWallet(
  ctx: Context,
  { wallet: id = '', format = 'csv', out }: Values,
  isJson: boolean,
): Promise<Record<string, unknown>> {
  const line = Object.hasOwn(LINES, format) ? LINES[format] : undefined;
  if (line === undefined)
    throw new UsageError(`There is no such format. Choose ${Object.keys(LINES).join(' or ')}`);
  if (isJson && out === undefined) throw new UsageError('wallet export --json needs --out FILE');
  const wallet = await getWallet(ctx, id);
  const target = out === undefined ? standardOutput : fileOutput(out);
  if (format === 'csv') await target.write(csvLine(COLUMNS));
  let rows = 0;
  for await (const page of exportDeposits(ctx, wallet)) {
    await target.write(page.map(line).join(''));
    rows += page.length;
  }
  await target.end();
  return { wallet_id: id, merchant_id: wallet.merchant_id, format, rows, file: out ?? null };
}
