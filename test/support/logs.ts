import { Writable } from 'node:stream';
import winston from 'winston';
import { createLog, type Log } from '../../src/platform/log.ts';

export interface CapturedLog {
  readonly log: Log;
  readonly text: () => string;
  /** The lines so far, those with this message if there is one. */
  readonly lines: (message?: string) => Record<string, unknown>[];
}

/** The service's own log, sampled and redacted, whose lines a test reads instead of the terminal. */
export function captureLog(logLevel: 'error' | 'warn' | 'info' | 'debug' = 'info'): CapturedLog {
  const written: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const log = createLog({ logLevel, logFormat: 'json' }, { process: 'test' });
  log.clear().add(new winston.transports.Stream({ stream }));
  return {
    log,
    text: () => written.join(''),
    lines(message) {
      const lines = written.map((line) => JSON.parse(line) as Record<string, unknown>);
      return lines.filter((line) => message === undefined || line.message === message);
    },
  };
}
