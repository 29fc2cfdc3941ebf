import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './documents.ts';

/** The migrations until then were written before the rules, and have run. */
const LAST_BEFORE_THE_RULES = '0020';

/** The names of the migrations beside which the previous release must be able to serve. */
export function migrationsByTheRules(): string[] {
  return readdirSync(join(ROOT, 'migrations'))
    .map((file) => file.replace('.sql', ''))
    .filter((name) => name.slice(0, 4) > LAST_BEFORE_THE_RULES)
    .toSorted();
}
