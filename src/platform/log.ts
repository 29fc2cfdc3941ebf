import { hostname } from 'node:os';
import winston from 'winston';
import type { Config } from './config/config.ts';
import { Sampler } from './logging/sampler.ts';
import { redact } from './values/redact.ts';

export type Log = winston.Logger;

const LEVELS: readonly string[] = ['error', 'warn', 'info', 'debug'];

/** What this process has logged, by level; `suppressed`: lines that were only counted. */
const written = { error: 0, warn: 0, info: 0, debug: 0, suppressed: 0 };
const samplers = new Set<Sampler>();

/**
 * The process's logger: one JSON object per line, or `pretty` for people. Fields carry ids and never secrets;
 * what slips into a text all the same, from a path or an error, is redacted in the finished line. Repeated
 * lines are sampled (see Sampler): a fault that persists must not fill the disk.
 */
export function createLog(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  fields: Record<string, unknown>,
  output: 'stdout' | 'stderr' = 'stdout',
): Log {
  const { combine, timestamp, errors, json } = winston.format;
  const format = config.logFormat === 'pretty' ? pretty : json();
  const sampler = new Sampler((line) => void log.write(line));
  samplers.add(sampler);
  const log = winston.createLogger({
    level: config.logLevel,
    defaultMeta: { ...fields, host: hostname(), pid: process.pid },
    format: combine(
      sampled(sampler, config.logLevel),
      timestamp(),
      errors({ stack: true }),
      format,
      redacted(),
    ),
    transports: [new winston.transports.Console({ stderrLevels: output === 'stderr' ? [...LEVELS] : [] })],
  });
  return log;
}

/** Writes nothing. */
export const SILENT: Log = winston.createLogger({ silent: true });

/** Writes the counts of repeated lines that are still pending. */
export function flushLogs(): void {
  for (const sampler of samplers) sampler.flush();
}

/** How many lines this process has written by level, and how many it has only counted. */
export function logLines(): Readonly<typeof written> {
  return written;
}

/** The message of a thrown value, for a log field or an error text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** First, so that a line that is not written costs no formatting. winston drops a line that becomes false. */
function sampled(sampler: Sampler, threshold: string): winston.Logform.Format {
  const limit = LEVELS.indexOf(threshold);
  return winston.format((line) => {
    if (LEVELS.indexOf(line.level) > limit) return false;
    if (sampler.takes(line)) {
      if (line.level in written) written[line.level as keyof typeof written] += 1;
      return line;
    }
    written.suppressed += 1;
    return false;
  })();
}

/** Where winston keeps the finished line. */
const MESSAGE = Symbol.for('message');

const redacted = winston.format((line) => {
  line[MESSAGE] = redact(String(line[MESSAGE]));
  return line;
});

const pretty = winston.format.printf((line) => {
  const { timestamp, level, message, process: source, stack, host: _host, pid: _pid, ...fields } = line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const trace = stack === undefined ? [] : [`\n${textOf(stack)}`];
  const time = textOf(timestamp).slice(11, 23);
  return [time, level.padEnd(5), textOf(source).padEnd(6), textOf(message), ...shown, ...trace].join(' ');
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
