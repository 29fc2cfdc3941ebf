import { messageOf } from '../../../platform/log.ts';
import { isUndefinedTable } from '../../../platform/postgres/migrate.ts';

/** `missing`: nobody has set or started it yet. `broken`: it is there, and does not do what it must. */
export type State = 'ok' | 'missing' | 'broken';

/** What a check found; nothing here is secret. */
export interface Finding {
  readonly check: string;
  /** What it is about: a network, a provider, a merchant; empty: the installation. */
  readonly subject: string;
  readonly state: State;
  readonly says: string;
  /** A command or variable that helps; null: nothing is to be done. */
  readonly remedy: string | null;
}

/** What a check says of one subject, before it is named. */
export type Verdict = Omit<Finding, 'check' | 'subject'>;

export const ok = (says: string): Verdict => ({ state: 'ok', says, remedy: null });
export const missing = (says: string, remedy: string): Verdict => ({ state: 'missing', says, remedy });
export const broken = (says: string, remedy: string): Verdict => ({ state: 'broken', says, remedy });

/**
 * Of one request, several of which a check makes within its deadline. It is long: what is slow on a busy
 * machine is not broken.
 */
export const REQUEST_SECONDS = 15;

export const RELEASE = 'node dist/processes/release.js';

/** A part of the preflight: it reads, and writes nothing. */
export interface Check {
  readonly name: string;
  /** Default: none. */
  readonly subject?: string;
  readonly look: () => Promise<Verdict | readonly (Verdict & { readonly subject?: string })[]>;
}

/** Runs all checks at once, each within its deadline; one that fails is broken, and says why. */
export async function runChecks(checks: readonly Check[], deadlineSeconds: number): Promise<Finding[]> {
  const found = await Promise.all(
    checks.map(async ({ name, subject = '', look }): Promise<Finding[]> => {
      const verdicts = [await within(deadlineSeconds, look())].flat();
      return verdicts.map((verdict) => ({ check: name, subject, ...verdict }));
    }),
  );
  return found.flat();
}

async function within(seconds: number, look: ReturnType<Check['look']>): ReturnType<Check['look']> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    const verdict = broken(`no answer within ${seconds} s`, 'repair what it asks, and run this again');
    timer = setTimeout(() => resolve(verdict), seconds * 1_000);
  });
  const asked = look.catch((error: unknown) =>
    isUndefinedTable(error)
      ? missing('the release has not run', RELEASE)
      : broken(`it could not be read: ${messageOf(error)}`, 'repair that, and run this again'),
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

const MARKS: Readonly<Record<State, string>> = { ok: 'ok', missing: 'MISSING', broken: 'BROKEN' };

/** The findings for people: one line each, and behind an arrow what to do. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.map(({ check, subject, state, says, remedy }) => {
    const name = subject === '' ? check : `${check} ${subject}`;
    const first = `${MARKS[state].padEnd(8)} ${name}: ${says}`;
    return remedy === null ? first : `${first}\n${' '.repeat(9)}-> ${remedy}`;
  });
  const count = (state: State) => findings.filter((one) => one.state === state).length;
  return [...lines, `${count('ok')} ok, ${count('missing')} missing, ${count('broken')} broken.`].join('\n');
}
