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
import { readStatus, statusText, type Section } from '../../../domain/ops/status/section.ts';
import {
  actionsSection,
  endpointsSection,
  merchantsSection,
  networksSection,
} from '../../../domain/ops/status/service.ts';
import { reportText } from '../../../domain/ops/verify/report.ts';
import { verify } from '../../../domain/ops/verify/verify.ts';
import { lookOnce } from '../health.ts';
import { timeOf, type OpsCommand } from './command.ts';

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
  databaseSection,
  replicaSection,
  feedSection,
  turnsSection,
  endpointsSection,
  partitionsSection,
  schemaSection,
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
  summary: 'checks every invariant over the whole database, and names the offenders',
  description:
    'It only reads, in pages of 1,000 payments, each a snapshot of some 100 ms, so it can run beside the service.',
  options: {
    since: {
      type: 'string',
      value: 'TIME',
      meaning: 'only payments that were created since (2026-01-31 or 2026-01-31T12:00:00Z)',
    },
  },
  changes: () => false,
  async run(ctx, values, output) {
    const startedAt = performance.now();
    let shownAt = -Infinity;
    const report = await verify(ctx, {
      since: timeOf(values, 'since'),
      onProgress(rows, of) {
        if (performance.now() - shownAt < PROGRESS_MS) return;
        shownAt = performance.now();
        output.progress(`${rows} ${of} read`);
      },
    });
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    return {
      facts: { ...report, seconds },
      text: `${reportText(report)} ${seconds} s.`,
      isBad: !report.ok,
    };
  },
};
