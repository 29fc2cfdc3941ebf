/** From these on, in seconds, a process reports that its machine's clock is off, and refuses to work. */
export const OFF_SECONDS = 2;
export const WRONG_SECONDS = 30;

/** `unmeasured`: the database was not available since the process started. */
export type ClockState = 'unmeasured' | 'right' | 'off' | 'wrong';

/** How the system clock of this process's machine compares with the database's. */
export interface ClockReport {
  readonly state: ClockState;
  /** Positive: the system clock is ahead. 0 while it is not measured. */
  readonly offsetSeconds: number;
}

/** Judges an offset. */
export function stateOf(offsetSeconds: number): Exclude<ClockState, 'unmeasured'> {
  const distance = Math.abs(offsetSeconds);
  if (distance > WRONG_SECONDS) return 'wrong';
  return distance > OFF_SECONDS ? 'off' : 'right';
}

/**
 * Returns what is wrong with the system clock, for status and logs; null when it is right or not measured,
 * and for a context without a report, a test's for example.
 */
export function clockFault(report: ClockReport | undefined): string | null {
  if (report === undefined || report.state === 'right' || report.state === 'unmeasured') return null;
  const { state, offsetSeconds } = report;
  const direction = offsetSeconds > 0 ? 'ahead of' : 'behind';
  const seconds = Math.abs(offsetSeconds).toFixed(1);
  const consequence =
    state === 'wrong'
      ? `beyond ${WRONG_SECONDS} s the process refuses to work`
      : "the process works with the database's time";
  return (
    `The system clock of this machine is ${seconds} s ${direction} the database server's: ${consequence}. ` +
    "Check the time synchronisation (NTP) of this machine, and the database server's if every process reports this"
  );
}

/** True when a web process may get requests: before the first measurement its time may be anything. */
export function isReadyToServe(report: ClockReport | undefined): boolean {
  return mayWork(report) && report?.state !== 'unmeasured';
}

/** False: the clock is wrong, and the process must take no work. */
export function mayWork(report: ClockReport | undefined): boolean {
  return report?.state !== 'wrong';
}
