import type { PaymentCheckout, ServiceStatus } from '../../client/index.ts';
import type { Login } from '../settings/profiles.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** One line of the doctor's report. A note is worth knowing, and nothing is wrong. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'wrong' | 'note';
  /** What was found. */
  readonly found: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
}

/** What the checks of a key and its merchant read. */
export interface Subject {
  readonly terminal: Terminal;
  readonly client: PaymentCheckout;
  readonly login: Login;
  readonly status: ServiceStatus;
}

export const ok = (check: string, found: string): Finding => ({ check, result: 'ok', found, remedy: null });
export const note = (check: string, found: string, remedy: string): Finding => ({
  check,
  result: 'note',
  found,
  remedy,
});
export const wrong = (check: string, found: string, remedy: string): Finding => ({
  check,
  result: 'wrong',
  found,
  remedy,
});
