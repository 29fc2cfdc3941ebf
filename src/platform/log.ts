import { hostname } from 'node:os';
import winston from 'winston';
import type { Config } from './config/config.ts';
import { Sampler } from './logging/sampler.ts';
import { redact } from './values/redact.ts';

export type Log = winston.Logger;

const LEVELS = Object.keys(winston.config.npm.levels);

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
  const sampler = new Sampler((line) => void log.write(line));
  samplers.add(sampler);
  const log = winston.createLogger({
    level: config.logLevel,
    defaultMeta: { ...fields, host: hostname(), pid: process.pid },
    format: { transform: formatter(sampler, config, (line) => log.isLevelEnabled(line.level)) },
    transports: [new winston.transports.Console({ stderrLevels: output === 'stderr' ? LEVELS : [] })],
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

type Line = winston.Logform.TransformableInfo;
/** Returns the line with its text, or false: winston drops it. */
type Transform = (line: Line) => Line | false;

/** Where winston keeps the finished line. */
const MESSAGE = Symbol.for('message');

/**
 * One format instead of winston's chain of five, which took half of what a line costs. It samples first, so
 * that a line that is not written costs no formatting.
 */
function formatter(
  sampler: Sampler,
  { logFormat }: Pick<Config, 'logFormat'>,
  isEnabled: (line: Line) => boolean,
): Transform {
  const stamp = winston.format.timestamp();
  const textOfLine = logFormat === 'pretty' ? pretty : json;
  return (line) => {
    if (!isEnabled(line)) return false;
    if (!sampler.takes(line)) {
      written.suppressed += 1;
      return false;
    }
    if (line.level in written) written[line.level as keyof typeof written] += 1;
    const stamped = stamp.transform(withStack(line)) as Line;
    stamped[MESSAGE] = redact(textOfLine(stamped));
    return stamped;
  };
}

const errors = winston.format.errors({ stack: true });

/** A line that is an error, or has one for its message, gets that one's message and stack. */
function withStack(line: Line): Line {
  const isError = line instanceof Error || line.message instanceof Error;
  return isError ? (errors.transform(line, { stack: true }) as Line) : line;
}

const safely = winston.format.json();

function json(line: Line): string {
  try {
    return JSON.stringify(line);
  } catch {
    // A cycle, or a bigint: winston's own serialiser takes both.
    return String((safely.transform(line, {}) as Line)[MESSAGE]);
  }
}

function pretty(line: Line): string {
  const { timestamp, level, message, process: source, stack, host: _host, pid: _pid, ...fields } = line;
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const trace = stack === undefined ? [] : [`\n${textOf(stack)}`];
  const time = textOf(timestamp).slice(11, 23);
  return [time, level.padEnd(5), textOf(source).padEnd(6), textOf(message), ...shown, ...trace].join(' ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
