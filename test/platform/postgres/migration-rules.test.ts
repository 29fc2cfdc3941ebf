import { expect } from 'chai';
import {
  loadMigration,
  parseMigration,
  type Migration,
} from '../../../src/platform/postgres/migrations/files.ts';
import { migrationsByTheRules } from '../../support/migrations.ts';

interface Rule {
  readonly fault: RegExp;
  readonly remedy: string;
  /** The table, in the first group of `fault`, may be new: nobody uses it yet. */
  readonly exceptNew?: true;
}

const ON_TABLE = String.raw`ALTER TABLE (?:ONLY )?(\w+)\b[^;]*?`;
const rule = (fault: string, remedy: string): Rule => ({ fault: new RegExp(fault, 'is'), remedy });
const onOld = (fault: string, remedy: string): Rule => ({ ...rule(fault, remedy), exceptNew: true });

const RULES: readonly Rule[] = [
  onOld(
    String.raw`CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)[^;]*? ON (\w+)`,
    'build it CONCURRENTLY, with transaction:false',
  ),
  onOld(String.raw`DROP INDEX (?!CONCURRENTLY)()`, 'drop it CONCURRENTLY, with transaction:false'),
  onOld(`${ON_TABLE}SET NOT NULL`, 'validate a CHECK first'),
  onOld(
    String.raw`${ON_TABLE}ADD COLUMN [^,;]*?NOT NULL(?![^,;]*DEFAULT)(?<!DEFAULT[^,;]*)`,
    'give it a default: the previous release does not write it',
  ),
  onOld(
    String.raw`${ON_TABLE}ADD COLUMN [^,;]*?(?:DEFAULT [^,;]*?(?:random|gen_random_uuid|clock_timestamp|nextval|pg_current_xact_id)\(|GENERATED|serial\b)`,
    'a default that differs from row to row rewrites the table: fill it in chunks',
  ),
  onOld(String.raw`${ON_TABLE}ADD COLUMN [^,;]*?REFERENCES`, 'add a constraint that is NOT VALID'),
  onOld(
    String.raw`${ON_TABLE}ADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)(?![^;]*NOT VALID)`,
    'add it NOT VALID, and validate it in a file of its own',
  ),
  onOld(
    String.raw`${ON_TABLE}ADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b(?! USING INDEX)`,
    'build the index CONCURRENTLY, then add it USING INDEX',
  ),
  onOld(String.raw`${ON_TABLE}\bTYPE\b`, 'add a second column'),
  onOld(`${ON_TABLE}DROP COLUMN`, 'the previous release may use it'),
  onOld(String.raw`${ON_TABLE}RENAME\b`, 'the previous release uses the old name'),
  rule('DROP TABLE', 'the previous release may use it'),
  rule('ALTER TYPE', 'its tables may be rewritten'),
  rule(String.raw`^\s*(?:LOCK TABLE|TRUNCATE|VACUUM FULL|CLUSTER|REINDEX)\b`, 'everybody waits for it'),
];

/** What breaks the rules, but for statements below a comment `-- locks: why`. */
function faultsOf({ name, statements, config }: Migration): string[] {
  const up = statements.join(';\n');
  const made = new Set([...up.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?(\w+)/gi)].map(([, table]) => table));
  const own = up.split(/;$/m).filter((text) => !/^\s*-- locks: \S/m.test(text));
  const bare = own.map((text) => text.replaceAll(/--.*$/gm, ''));
  const found = bare.flatMap((text) =>
    RULES.flatMap(({ fault, remedy, exceptNew }) => {
      const match = fault.exec(text);
      if (match === null || (exceptNew === true && made.has(match[1]))) return [];
      return [`${name}: ${match[0].trim()}: ${remedy}`];
    }),
  );
  const alters = bare.some((text) => /^\s*ALTER TABLE/im.test(text));
  const writes = bare.some((text) => /^\s*(?:UPDATE|DELETE)\b/im.test(text));
  return config.transaction && alters && writes
    ? [
        ...found,
        `${name}: rows are written while ALTER TABLE keeps its lock: write them in a file of their own`,
      ]
    : found;
}

describe('the rules of migrations', () => {
  it('hold in each that was written since', () => {
    const recent = migrationsByTheRules();
    expect(recent).to.include('0025_feed_epoch');
    expect(recent.map(loadMigration).flatMap(faultsOf)).to.deep.equal([]);
  });

  const check = (text: string) =>
    faultsOf(parseMigration('9000_test', `-- migrate:up\n${text}\n-- migrate:down\n`));

  for (const fault of [
    'CREATE INDEX a_by_n ON a (n);',
    'CREATE UNIQUE INDEX a_by_n ON a (n);',
    'DROP INDEX a_by_n;',
    'ALTER TABLE a ALTER COLUMN n SET NOT NULL;',
    'ALTER TABLE a\n  ADD COLUMN t text,\n  ADD COLUMN n integer NOT NULL;',
    'ALTER TABLE a ADD COLUMN u uuid DEFAULT gen_random_uuid();',
    'ALTER TABLE a ADD COLUMN n bigint GENERATED ALWAYS AS IDENTITY;',
    'ALTER TABLE a ADD COLUMN n bigint REFERENCES b;',
    'ALTER TABLE a ADD CONSTRAINT n_check CHECK (n > 0);',
    'ALTER TABLE a ADD UNIQUE (n);',
    'ALTER TABLE a ALTER COLUMN n TYPE bigint;',
    'ALTER TABLE a DROP COLUMN n;',
    'ALTER TABLE a RENAME COLUMN n TO m;',
    'ALTER TABLE a RENAME TO b;',
    'DROP TABLE a;',
    `ALTER TYPE mood ADD VALUE 'glad';`,
    'LOCK TABLE a;',
    'TRUNCATE a;',
    'ALTER TABLE a ADD COLUMN n integer;\nUPDATE a SET n = 1;',
  ])
    it(`find ${fault.replaceAll(/\s+/g, ' ')}`, () => {
      expect(check(fault)).to.have.lengthOf(1);
      expect(check(`-- locks: nobody uses it.\n${fault}`)).to.deep.equal([]);
    });

  it('let through what only adds', () => {
    const adds = `
      ALTER TABLE a ADD COLUMN t text, ADD COLUMN n integer NOT NULL DEFAULT 0, ADD COLUMN at timestamptz;
      ALTER TABLE a ADD CONSTRAINT n_check CHECK (n >= 0) NOT VALID;
      CREATE TABLE c (n integer NOT NULL REFERENCES a, type text);
      CREATE INDEX c_by_n ON c (n);
      CREATE UNIQUE INDEX CONCURRENTLY a_by_n ON a (n);
      INSERT INTO c SELECT 1;`;
    expect(check(adds)).to.deep.equal([]);
  });
});
