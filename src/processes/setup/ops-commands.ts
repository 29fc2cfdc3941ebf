import { parseArgs } from 'node:util';
import { reconcileOnce } from '../../domain/ops/reconcile.ts';
import { listStuck, releaseParked, stuckText } from '../../domain/ops/stuck.ts';
import { StartError } from '../../platform/config/config.ts';
import type { Context } from '../../platform/context.ts';
import { messageOf } from '../../platform/log.ts';

export const OPS_USAGE = `Usage: npm run ops -- COMMAND [options]

  stuck       [--release] [--job JOB] [--key KEY]
              the jobs that failed too often in a row; --release: those that are parked are due again
  reconcile   schedules jobs that payments, refunds, deliveries and receipts need and lack

  --json      one JSON object instead of text

Works on DATABASE_URL, or on the embedded database of npm run dev.`;

const OPTIONS = {
  json: { type: 'boolean' },
  release: { type: 'boolean' },
  job: { type: 'string' },
  key: { type: 'string' },
} as const;

/** What an operator's command found or did. */
export interface OpsResult {
  /** What `--json` prints. */
  readonly facts: Record<string, unknown>;
  readonly text: string;
}

export interface OpsCommand {
  readonly json: boolean;
  run(ctx: Context): Promise<OpsResult>;
}

/**
 * Returns the command that the arguments name; null where they ask for help. Throws StartError for an unknown
 * command or option.
 */
export function parseOpsCommand(args: readonly string[]): OpsCommand | null {
  if (args.includes('--help') || args.includes('-h')) return null;
  const [name = '', ...rest] = args;
  const { json = false, release = false, job = null, key = null } = parseOptions(rest);
  if (name === 'reconcile' && !release && job === null && key === null) return { json, run: reconcile };
  if (name === 'stuck')
    return { json, run: (ctx) => (release ? releaseStuck(ctx, { job, key }) : stuck(ctx, { job, key })) };
  throw usageError(
    name === ''
      ? 'A command is missing'
      : `There is no command ${name}${rest.length > 0 ? ' with such options' : ''}`,
  );
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw usageError(messageOf(error));
  }
}

function usageError(fault: string): StartError {
  return new StartError(`${fault}.\n\n${OPS_USAGE}`);
}

type Selection = Parameters<typeof listStuck>[1];

async function stuck({ db }: Context, which: Selection): Promise<OpsResult> {
  const jobs = await listStuck(db, which);
  return { facts: { stuck: jobs }, text: stuckText(jobs) };
}

async function releaseStuck({ db }: Context, which: Selection): Promise<OpsResult> {
  const released = await releaseParked(db, which);
  const lines = released.map(({ job, key }) => `released  ${job}  ${key}`);
  return { facts: { released }, text: lines.length === 0 ? 'No job was parked.' : lines.join('\n') };
}

async function reconcile(ctx: Context): Promise<OpsResult> {
  const restored = await reconcileOnce(ctx);
  return { facts: { restored }, text: `${restored} jobs were missing and are scheduled again.` };
}
