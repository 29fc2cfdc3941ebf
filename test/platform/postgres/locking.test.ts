import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { Statement } from '../../../src/platform/postgres/sql.ts';
import { modulesOfSrc } from '../../support/statement-types.ts';
import { OWN_ROW, type Reasons } from './locking/reasons.ts';
import { PAYMENTS } from './locking/payments.ts';
import { LINKS } from './locking/links.ts';
import { MOVES } from './locking/moves.ts';
import { OVERVIEW } from './locking/overview.ts';
import { PEOPLE } from './locking/people.ts';
import { PAYOUTS } from './locking/payouts.ts';
import { SCHEDULE } from './locking/schedule.ts';
import { TILLS } from './locking/tills.ts';
import { WEBHOOKS } from './locking/webhooks.ts';

const ALL: readonly Reasons[] = [
  LINKS,
  MOVES,
  OVERVIEW,
  PAYMENTS,
  PAYOUTS,
  PEOPLE,
  SCHEDULE,
  TILLS,
  WEBHOOKS,
];

/** Writes rows, or locks some. */
const WRITES =
  /\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|FOR (?:NO KEY UPDATE|UPDATE|SHARE|KEY SHARE))\b/;
/** Locks rows in a SELECT, and waits for those that another transaction has locked. */
const WAITS = /\bFOR (?:NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)(?: OF \w+)?(?! OF)\b(?! SKIP LOCKED| NOWAIT)/;

describe('what each statement that writes or locks reads', () => {
  let statements: readonly Pick<Statement, 'name' | 'text'>[];
  before(async () => {
    for (const file of modulesOfSrc()) await import(pathToFileURL(file).href);
    const { declaredStatements } = await import('../../../src/platform/postgres/sql.ts');
    // Tests declare statements too.
    statements = [...declaredStatements.values()]
      .filter(({ name }) => !name.startsWith('test_'))
      .map(({ name, text }) => ({ name, text: text.replaceAll(/--.*|\s+/g, ' ') }))
      .filter(({ text }) => WRITES.test(text));
  });

  it('has a reason why it is right, in test/platform/postgres/locking', () => {
    const given = ALL.flatMap((reasons) => [
      ...Object.keys(reasons.right),
      ...Object.keys(reasons.readsMore),
    ]);
    const names = statements.map(({ name }) => name);
    expect(names.filter((name) => !given.includes(name)).sort(), 'without a reason').to.deep.equal([]);
    expect(given.filter((name) => !names.includes(name)).sort(), 'no such statement').to.deep.equal([]);
    expect(given.filter((name, i) => given.indexOf(name) !== i).sort(), 'two reasons').to.deep.equal([]);
  });

  it('is of the rows that it writes alone, where the reason says so', () => {
    const own = new Set(
      ALL.flatMap(({ right }) =>
        Object.entries(right).flatMap(([name, reason]) => (reason === OWN_ROW ? [name] : [])),
      ),
    );
    const others = statements.filter(({ name, text }) => own.has(name) && tablesOf(text).size > 1);
    expect(others.map(({ name, text }) => [name, ...tablesOf(text)])).to.deep.equal([]);
  });

  it('is of no other table where it waits for a lock, but for those whose reason says why', () => {
    const readsMore = ALL.flatMap((reasons) => Object.keys(reasons.readsMore));
    const others = statements.filter(
      ({ name, text }) => WAITS.test(text) && tablesOf(text).size > 1 && !readsMore.includes(name),
    );
    expect(others.map(({ name, text }) => [name, ...tablesOf(text)])).to.deep.equal([]);
  });
});

/** The tables that a statement names: what stands where one may, and is no CTE, function or recordset. */
function tablesOf(statement: string): ReadonlySet<string> {
  const text = statement.replaceAll(/\bepoch FROM\b/gi, 'epoch');
  const ctes = new Set([...text.matchAll(/(\w+) AS (?:MATERIALIZED )?\(/g)].map(([, name]) => name));
  const named = [
    ...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE|USING|TABLE) (?!SET\b|SKIP\b|OF\b)(\w+)\b(?! ?\()/g),
  ];
  const words = /^(?:LATERAL|ONLY|excluded|epoch|to|unnest|ON|\d+)$/;
  return new Set(named.flatMap(([, name = '']) => (ctes.has(name) || words.test(name) ? [] : [name])));
}
