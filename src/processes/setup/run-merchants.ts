import type { MerchantSummary } from '../../domain/merchants/store.ts';
import type { OpenCommand } from './command-context.ts';
import { parseCommand, USAGE } from './command-line.ts';
import { reportCommand } from './report-command.ts';
import type { Lifetime } from './lifetime.ts';

/** Runs one command on merchants: `merchants create --name ...`. */
export async function runMerchants(lifetime: Lifetime, open: OpenCommand): Promise<void> {
  const asked = parseCommand(process.argv.slice(2));
  if (asked === null) return console.log(USAGE);
  const { name, command, values, json } = asked;
  const ctx = await open(lifetime, 'merchants', process.env);
  const result = await command.run(ctx, values, json);
  await reportCommand(ctx, name, values, result);
  const text = json ? JSON.stringify(result) : (command.text?.(result) ?? textOf(result));
  if (text !== '') console.log(text);
  const notice = command.notice?.(values, result) ?? null;
  if (notice === null) return;
  // With --json, standard output is for programs: it holds the one object.
  if (json) console.error(notice);
  else console.log(`\n${notice}`);
}

function textOf(result: Record<string, unknown>): string {
  if (Array.isArray(result.merchants)) return (result.merchants as MerchantSummary[]).map(summary).join('\n');
  return Object.entries(result)
    .map(([name, value]) => `${name.padEnd(15)} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function summary({ merchant_id, name, mode, currency, network, keys }: MerchantSummary): string {
  const lines = keys.map(
    ({ prefix, permissions, revoked }) => `  ${prefix}...  ${revoked ? 'revoked' : permissions.join(',')}`,
  );
  return [`${merchant_id}  ${name}  ${mode}  ${currency} on ${network}`, ...lines].join('\n');
}
