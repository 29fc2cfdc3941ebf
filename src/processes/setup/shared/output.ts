import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { StartError } from '../../../platform/config/config.ts';
import { OpsUsageError, type OpsOutput } from './command.ts';

type Target = Pick<OpsOutput, 'write' | 'end'>;

/**
 * Standard output. A process goes on when nobody reads it any more, or its disk is full: rows that were not
 * taken fail the command here, or it would report success.
 */
export const standardOutput: Target = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (!error) return resolve();
        reject(new StartError(`Standard output cannot be written: ${error.message}`));
      });
    }),
  async end(line) {
    if (line !== undefined) process.stderr.write(`${line}\n`);
    return Promise.resolve();
  },
};

/** A file that only its owner can read; one that exists is not overwritten. */
export function fileOutput(path: string): Target {
  const stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  let fault: Error | null = null;
  stream.on('error', (error) => (fault = error));
  const check = () => {
    if (fault !== null) throw new OpsUsageError(`--out ${path} cannot be written: ${fault.message}`);
  };
  return {
    async write(text) {
      check();
      if (!stream.write(text)) await once(stream, 'drain').catch(check);
    },
    async end() {
      check();
      stream.end();
      // One that could not be opened may have closed before: nothing would come of waiting for it.
      if (!stream.closed) await once(stream, 'close').catch(check);
      check();
    },
  };
}
