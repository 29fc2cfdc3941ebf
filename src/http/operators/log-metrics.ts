import { Counter, type Registry } from 'prom-client';
import { logLines } from '../../platform/log.ts';

/** Counts what this process logs: a rate that jumps is a fault that nobody has looked at yet. */
export function countLogLines(registry: Registry): void {
  const lines = new Counter({
    name: 'log_lines_total',
    help: 'Log lines that this process has written, by level.',
    labelNames: ['level'] as const,
    registers: [registry],
    collect() {
      lines.reset();
      const { error, warn, info, debug } = logLines();
      for (const [level, count] of Object.entries({ error, warn, info, debug })) lines.inc({ level }, count);
    },
  });
  const suppressed = new Counter({
    name: 'log_lines_suppressed_total',
    help: 'Repeated log lines that this process has counted instead of writing them.',
    registers: [registry],
    collect() {
      suppressed.reset();
      suppressed.inc(logLines().suppressed);
    },
  });
}
