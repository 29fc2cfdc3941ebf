import winston from 'winston';
import type { Config } from './config/config.ts';
import { redact } from './values/redact.ts';

export type Log = winston.Logger;

/**
 * The process's logger: one JSON object per line, or `pretty` for people. Fields carry ids and never secrets;
 * what slips into a text all the same, from a path or an error, is redacted in the finished line.
 */
export function createLog(
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  fields: Record<string, unknown>,
): Log {
  const { combine, timestamp, errors, json } = winston.format;
  const format = config.logFormat === 'pretty' ? pretty : json();
  return winston.createLogger({
    level: config.logLevel,
    defaultMeta: fields,
    format: combine(timestamp(), errors({ stack: true }), format, redacted()),
    transports: [new winston.transports.Console({ stderrLevels: [] })],
  });
}

/** Writes nothing. */
export const SILENT: Log = winston.createLogger({ silent: true });

/** The message of a thrown value, for a log field or an error text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Where winston keeps the finished line. */
const MESSAGE = Symbol.for('message');

const redacted = winston.format((line) => {
  line[MESSAGE] = redact(String(line[MESSAGE]));
  return line;
});

const pretty = winston.format.printf(({ timestamp, level, message, process: source, stack, ...fields }) => {
  const shown = Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`);
  const trace = stack === undefined ? [] : [`\n${textOf(stack)}`];
  const time = textOf(timestamp).slice(11, 23);
  return [time, level.padEnd(5), textOf(source).padEnd(6), textOf(message), ...shown, ...trace].join(' ');
});

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
