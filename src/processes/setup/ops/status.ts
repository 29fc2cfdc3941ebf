import { reportQueues } from '../../../background/queue-status.ts';
import {
  databaseSection,
  feedSection,
  partitionsSection,
  processesSection,
  replicaSection,
  schemaSection,
} from '../../../domain/ops/status/database.ts';
import {
  drainSection,
  jobsSection,
  stuckSection,
  turnsSection,
} from '../../../domain/ops/status/scheduled.ts';
import { flushesSection } from '../../../domain/ops/status/flushes.ts';
import { paymentsSection } from '../../../domain/ops/status/payments.ts';
import { payoutsSection } from '../../../domain/ops/status/payouts.ts';
import { readStatus, statusText, type Section } from '../../../domain/ops/status/section.ts';
import {
  actionsSection,
  endpointsSection,
  merchantsSection,
  networksSection,
} from '../../../domain/ops/status/service.ts';
import { measureMerchant } from '../../../domain/ops/move/copy.ts';
import { isFault } from '../../../domain/chain/rpc/questions.ts';
import { reportText } from '../../../domain/ops/verify/report.ts';
import { verify } from '../../../domain/ops/verify/verify.ts';
import { verifyChains } from '../../../domain/ops/verify-chain/run.ts';
import { totalsText } from '../../../domain/ops/verify-chain/totals.ts';
import { networksWithProviders } from '../../../domain/ops/verify-chain/open.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { RpcNetwork } from '../../../platform/config/variables.ts';
import type { Context } from '../../../platform/context.ts';
import { firstIdAt, isId } from '../../../platform/values/ids.ts';
import { lookOnce } from '../health.ts';
import { OpsUsageError, timeOf, type OpsCommand, type OpsOutput, type OpsValues } from '../shared/command.ts';

/** The very checks of /v1/status; the other sections say what causes them, and what they do not look at. */
const healthSection: Section = {
  name: 'health',
  async read(ctx) {
    const { isReachable, faults } = await lookOnce(ctx);
    const lines = faults.map(({ check, reason }) => `${check}: ${reason}`);
    if (ctx.config.maintenance) lines.push('MAINTENANCE=true: the API responds with 503');
    return {
      facts: { checks: faults, maintenance: ctx.config.maintenance },
      lines: lines.length === 0 ? ['no check fails'] : lines,
      isBad: !isReachable || lines.length > 0,
    };
  },
};

/** In the order in which they are shown, what is wrong first. */
const SECTIONS: readonly Section[] = [
  healthSection,
  processesSection,
  drainSection,
  jobsSection,
  stuckSection,
  { name: 'queues', read: reportQueues },
  networksSection,
  flushesSection,
  payoutsSection,
  databaseSection,
  replicaSection,
  feedSection,
  turnsSection,
  endpointsSection,
  partitionsSection,
  schemaSection,
  paymentsSection,
  merchantsSection,
  actionsSection,
];

export const statusCommand: OpsCommand = {
  summary: 'says on one screen what is wrong or stuck, what is wrong first',
  description: 'Exit code 1 when something is wrong. Endpoints whose receivers fail are shown, and are not.',
  options: {},
  changes: () => false,
  async run(ctx) {
    const reports = await readStatus(ctx, SECTIONS);
    const isBad = reports.some((report) => report.isBad);
    const sections = Object.fromEntries(
      reports.map(({ name, facts, isBad: bad }) => [name, { ok: !bad, facts }]),
    );
    return { facts: { ok: !isBad, sections }, text: statusText(reports), isBad };
  },
};

/** A person can follow this many lines. */
const PROGRESS_MS = 500;

export const verifyCommand: OpsCommand = {
  summary:
    'checks every invariant over the whole database, or the ledger against chains; names the offenders',
  description:
    'It only reads, in pages of 1,000 payments, each a snapshot of some 100 ms, so it can run beside the service. ' +
    "With --chain it compares the ledger with chains up to one final block of each, in the watcher's environment, " +
    'which has RPC_URLS_: a request for each coin at 500 addresses, and one call, 50 of which travel together, for ' +
    'each transfer whose money has left its address.',
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      meaning: 'only payments that were created since (2026-01-31 or 2026-01-31T12:00:00Z)',
    },
    merchant: { type: 'string', value: 'ID', meaning: 'only what is theirs, with a digest of each table' },
    chain: { type: 'boolean', meaning: 'the ledger against chains, to the last unit' },
    network: { type: 'string', value: 'NETWORK', meaning: 'for --chain: that one alone' },
    after: { type: 'string', value: 'ID', meaning: 'for --chain: payments behind this one, to go on there' },
    'from-block': {
      type: 'string',
      value: 'HEIGHT',
      meaning: 'for --chain on Bitcoin: also reads each block from there on, for money that nobody knows of',
    },
  },
  changes: () => false,
  readsChains: true,
  async run(ctx, values, output) {
    const startedAt = performance.now();
    const ended = ({ text, ...facts }: { text: string; ok: boolean }) => {
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      return { facts: { ...facts, seconds }, text: `${text} ${seconds} s.`, isBad: !facts.ok };
    };
    const progress = progressOf(output);
    const merchant = values.text('merchant');
    if (merchant !== null) return ended(await verifyMerchant(ctx, merchant, progress));
    if (values.has('chain')) return ended(await verifyChain(ctx, values, progress));
    const onlyChain = ['network', 'after', 'from-block'].find((name) => values.text(name) !== null);
    if (onlyChain !== undefined) throw new OpsUsageError(`--${onlyChain} is for verify --chain.`);
    const report = await verify(ctx, { since: timeOf(values, 'since'), onProgress: progress });
    return ended({ ...report, text: reportText(report) });
  },
};

/** Counts a merchant's rows, and checks every invariant over them. */
async function verifyMerchant(ctx: Context, merchantId: string, onProgress: Progress) {
  if (!isId('mer', merchantId)) throw new OpsUsageError(`There is no merchant ${merchantId}`);
  const tables = await measureMerchant(ctx.db, merchantId);
  const lines = Object.entries(tables)
    .filter(([, { rows }]) => rows > 0)
    .map(([name, { rows, digest }]) => `${String(rows).padStart(9)}  ${name.padEnd(24)}  ${digest}`);
  const text = lines.length === 0 ? `Nothing of ${merchantId} is here.` : lines.join('\n');
  const report = await verify(ctx, { since: null, merchantId, onProgress });
  return { ...report, merchant_id: merchantId, tables, text: `${text}\n${reportText(report)}` };
}

type Progress = (rows: number, of: string) => void;

function progressOf(output: OpsOutput): Progress {
  let shownAt = -Infinity;
  return (rows, of) => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    shownAt = performance.now();
    output.progress(`${rows} ${of} read`);
  };
}

async function verifyChain(ctx: Context, values: OpsValues, progress: Progress) {
  const since = timeOf(values, 'since');
  let after = values.text('after') ?? (since === null ? '' : firstIdAt('pay', since));
  const options = {
    networks: networksOf(ctx, values.text('network')),
    after,
    fromBlock: heightOf(values.text('from-block')),
    onProgress(rows: number, of: string, until: string) {
      if (until !== '') after = until;
      progress(rows, `${of}, up to ${after},`);
    },
  };
  const report = await verifyChains(ctx, options).catch((error: unknown) => {
    if (!isFault(error)) throw error;
    const goOn = after === '' ? '' : `, --after ${after} with one --network`;
    throw new StartError(`${error.message}. Run it again${goOn}, where its final state is kept.`);
  });
  const unread = report.unread.map(
    (network) => `${network}: not compared, no watcher reads it: chain status`,
  );
  return { ...report, text: [totalsText(report.networks), ...unread, reportText(report)].join('\n') };
}

function networksOf(ctx: Context, name: string | null): RpcNetwork[] {
  const known = networksWithProviders(ctx);
  const networks = known.filter((network) => name === null || network === name);
  if (networks.length > 0) return networks;
  throw new OpsUsageError(
    `No provider of ${name ?? 'a network'} is known here: run this in the watcher's environment, with RPC_URLS_.`,
  );
}

function heightOf(text: string | null): number | null {
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new OpsUsageError(`--from-block ${text} is no height of a block.`);
}
