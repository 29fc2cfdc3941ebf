import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findFaults, startHeartbeat } from '../../src/processes/setup/heartbeat.ts';
import { captureLog } from '../support/logs.ts';

/** Above the largest process id. */
const DEAD = 2 ** 23;

describe("a worker's heartbeat", () => {
  const before = process.env.TMPDIR;
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'heartbeat-'));
    process.env.TMPDIR = folder;
  });
  afterEach(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  });

  const nameOf = (pid: number) => join(folder, `payment-checkout-worker.${hostname()}.${pid}.beat`);

  it('neither fails nor is ill by what others put into the folder', () => {
    mkdirSync(nameOf(DEAD));
    symlinkSync(process.execPath, nameOf(DEAD + 1));
    const stop = startHeartbeat(captureLog().log);
    expect(findFaults(null)).to.deep.equal([]);
    stop();
  });

  it('that cannot be written is logged once, and the worker goes on', () => {
    rmSync(folder, { recursive: true });
    const { log, lines } = captureLog();
    startHeartbeat(log)();
    expect(lines('heartbeat file cannot be written; the health check will fail')).to.have.length(1);
  });
});
