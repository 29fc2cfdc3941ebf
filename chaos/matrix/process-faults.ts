import type { Fault } from './fault.ts';
import { restartBy, type Machine, type Stand } from '../stand/stand.ts';

/** Longer than a lease, so that what the frozen process does is done again by others. */
const FROZEN_SECONDS = 40;
/** Far beyond what receivers accept (300 s). */
const CLOCK_SECONDS = 600;
/** Two measurements of a process's clock. */
const CLOCK_LASTS_SECONDS = 30;

/**
 * Who is hit. The relay runs in each worker, and one takes over from another: `relay` hits all of them, so
 * that nothing that is due reaches a queue.
 */
const TARGETS: Readonly<Record<string, (stand: Stand) => readonly Machine[]>> = {
  web: ({ web }) => [web],
  worker: ({ workers }) => [workers[0]],
  relay: ({ workers }) => workers,
};

/** {web, worker, relay} x {kill -9, SIGTERM under load, SIGSTOP 40 s}, and clocks. */
export const PROCESS_FAULTS: readonly Fault[] = [
  ...Object.entries(TARGETS).flatMap(([name, targets]) => faultsOf(name, targets)),
  ...Object.entries({ web: TARGETS['web'], worker: TARGETS['worker'] }).flatMap(([name, targets]) =>
    [CLOCK_SECONDS, -CLOCK_SECONDS].map((shift) => clockFault(name, targets ?? (() => []), shift)),
  ),
];

function faultsOf(name: string, targets: (stand: Stand) => readonly Machine[]): Fault[] {
  const hitsWeb = name === 'web';
  return [
    {
      name: `${name}: kill -9`,
      lastsSeconds: 0,
      hitsWeb,
      begin: (stand) => restartBy(targets(stand), 'kill'),
      end: () => undefined,
    },
    {
      name: `${name}: SIGTERM`,
      lastsSeconds: 0,
      hitsWeb,
      begin: (stand) => restartBy(targets(stand), 'terminate'),
      end: () => undefined,
    },
    {
      name: `${name}: SIGSTOP`,
      lastsSeconds: FROZEN_SECONDS,
      hitsWeb,
      begin: (stand) => targets(stand).forEach((one) => one.freeze()),
      end: (stand) => targets(stand).forEach((one) => one.thaw()),
    },
  ];
}

function clockFault(name: string, targets: (stand: Stand) => readonly Machine[], shift: number): Fault {
  return {
    name: `${name}: clock ${shift > 0 ? '+' : '-'}10 min`,
    lastsSeconds: CLOCK_LASTS_SECONDS,
    begin: (stand) => targets(stand).forEach((one) => one.setClock(shift)),
    end: (stand) => targets(stand).forEach((one) => one.setClock(0)),
  };
}
