import { expect } from 'chai';
import { verify } from '../../src/domain/ops/verify/verify.ts';
import { DEVELOPMENT_KEY } from '../../src/platform/config/production.ts';
import type { Db } from '../../src/platform/postgres/db.ts';

/** Of a harness. */
const KEYS = { secretsKeys: [DEVELOPMENT_KEY] };
/** Before every sweep: nothing may be missing. */
const BEFORE_SWEEPS = new Date(0);

/** Asserts every invariant that `npm run ops -- verify` checks, over the whole database. */
export async function checkInvariants(db: Db): Promise<void> {
  const { invariants } = await verify({ db, now: () => BEFORE_SWEEPS, config: KEYS }, { since: null });
  const broken = invariants.filter(({ offenders }) => offenders > 0);
  expect(broken.map(({ name, examples }) => ({ name, examples }))).to.deep.equal([]);
}
