// Preloaded into a process (NODE_OPTIONS=--import), this shifts its system clock by the seconds in the file SHIFT_FILE, which a test may
// change while the process runs. As on a machine, the monotonic clock (performance.now, timers) does not notice.
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 50;

const read = () => Number(readFileSync(process.env.SHIFT_FILE, 'utf8')) * 1000;
let shiftMs = read();
setInterval(() => (shiftMs = read()), LOOK_EVERY_MS).unref();

const RealDate = Date;
const now = () => RealDate.now() + shiftMs;

// A proxy: what node creates itself, a file's times for example, is still an instance of Date.
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
