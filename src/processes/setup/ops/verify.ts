import { reportText } from '../../../domain/ops/verify/report.ts';
import { verify } from '../../../domain/ops/verify/verify.ts';
import { timeOf, type OpsCommand } from './command.ts';

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
