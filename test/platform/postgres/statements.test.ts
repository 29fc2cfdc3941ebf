import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import type { Db } from '../../../src/platform/postgres/db.ts';
import type { Statement } from '../../../src/platform/postgres/sql.ts';
import { describeStatement, type Description } from '../../support/describe.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import {
  declarationsOfSrc,
  modulesOfSrc,
  type Declaration,
  type Shape,
} from '../../support/statement-types.ts';

const MAX_PARAMETERS = 8;
const MAX_COLUMNS = 110;

/** Files whose statements name a partition, which is there only at run time. */
const AT_RUN_TIME = ['src/domain/webhooks/deliveries/partitions.ts'];

/** By the OID of a type: what the driver makes of a column, and what a parameter may be. */
const TYPES: Readonly<Record<number, { column: string; parameter: readonly string[] }>> = {
  16: { column: 'boolean', parameter: ['boolean'] },
  17: { column: 'Buffer', parameter: ['Buffer'] },
  19: { column: 'string', parameter: ['string'] }, // name
  20: { column: 'string', parameter: ['string', 'number'] }, // int8
  21: { column: 'number', parameter: ['number'] }, // int2
  23: { column: 'number', parameter: ['number'] }, // int4
  25: { column: 'string', parameter: ['string'] }, // text
  114: { column: 'json', parameter: ['string'] },
  700: { column: 'number', parameter: ['number'] }, // float4
  701: { column: 'number', parameter: ['number'] }, // float8
  1007: { column: 'number[]', parameter: ['number[]'] }, // int4[]
  1009: { column: 'string[]', parameter: ['string[]'] }, // text[]
  1043: { column: 'string', parameter: ['string'] }, // varchar
  1115: { column: 'Date[]', parameter: ['Date[]'] },
  1184: { column: 'Date', parameter: ['Date'] }, // timestamptz
  1185: { column: 'Date[]', parameter: ['Date[]'] },
  1700: { column: 'string', parameter: ['string'] }, // numeric
  2205: { column: 'string', parameter: ['string'] }, // regclass
  3802: { column: 'json', parameter: ['string'] }, // jsonb
  5069: { column: 'string', parameter: ['string'] }, // xid8
};

describe('statements', () => {
  let declarations: Declaration[];
  let statements: Statement[];
  before(async () => {
    for (const file of modulesOfSrc()) await import(pathToFileURL(file).href);
    await declareLists();
    // What a test imports by a static import may be another copy of the module than what `import()` loads.
    const { declaredStatements } = await import('../../../src/platform/postgres/sql.ts');
    declarations = declarationsOfSrc();
    // Tests declare statements too.
    statements = [...declaredStatements.values()].filter(({ name }) =>
      declarations.some((declaration) => declaration.name.test(name)),
    );
  });

  it('of src are all found: each declaration gives a statement, and no two share a name', () => {
    const unused = declarations.filter(
      ({ name, place }) =>
        !statements.some((statement) => name.test(statement.name)) &&
        !AT_RUN_TIME.some((file) => place.startsWith(file)),
    );
    expect(unused.map(({ place, name }) => `${place} ${name.source}`)).to.deep.equal([]);
    const literals = declarations.filter(({ isLiteral }) => isLiteral).map(({ name }) => name.source);
    expect(literals.filter((name, i) => literals.indexOf(name) !== i)).to.deep.equal([]);
    expect(statements.length).to.be.greaterThan(100);
  });

  it('name their parameters', () => {
    const positional = declarations.filter((declaration) => isPositional(declaration, statements));
    expect(positional.map(({ place }) => place)).to.deep.equal([]);
  });

  it(`have at most ${MAX_PARAMETERS} parameters, and no line of more than ${MAX_COLUMNS} columns`, () => {
    const wide = declarations.flatMap(({ place, lines }) =>
      lines.some((line) => line.length > MAX_COLUMNS) ? [`${place}: a line is too long`] : [],
    );
    const many = statements
      .filter(({ params }) => params.length > MAX_PARAMETERS)
      .map(({ name, params }) => `${name}: ${params.length} parameters`);
    expect([...wide, ...many]).to.deep.equal([]);
  });

  it('declare the parameters and the columns that Postgres finds in the schema', async () => {
    const faults: string[] = [];
    await withClient(async (client) => {
      for (const declaration of declarations) {
        const own = statements.filter(({ name }) => isOwn(declaration, name, declarations));
        for (const statement of own) {
          const description = await describeStatement(client, statement.text).catch((error: Error) => error);
          const found =
            description instanceof Error
              ? [description.message]
              : faultsOf(declaration, statement, description);
          faults.push(...found.map((fault) => `${declaration.place} ${statement.name}: ${fault}`));
        }
        const used = new Set(own.flatMap(({ params }) => params));
        for (const name of declaration.params?.keys() ?? [])
          if (own.length > 0 && !used.has(name))
            faults.push(`${declaration.place}: parameter ${name} is not used`);
      }
    });
    expect(faults).to.deep.equal([]);
  });

  it('would not pass with a column that is missing, misnamed or of another type', async () => {
    const shape = (columns: Record<string, string>): Shape =>
      new Map(Object.entries(columns).map(([name, kind]) => [name, new Set([kind])]));
    const seeded = (row: Shape | null, params: Shape): Declaration => ({
      place: 'seeded',
      name: /^seeded$/,
      isLiteral: true,
      lines: [],
      row,
      params,
    });
    const statement = {
      name: 'seeded',
      text: 'SELECT id, sequence, created_at FROM payments WHERE id = $1',
      params: ['id'],
    };
    const good = { id: 'string', sequence: 'number', created_at: 'Date' };
    await withClient(async (client) => {
      const description = await describeStatement(client, statement.text);
      const of = (row: Record<string, string>, params: Record<string, string> = { id: 'string' }) =>
        faultsOf(seeded(shape(row), shape(params)), statement, description);
      expect(of(good)).to.deep.equal([]);
      const { sequence, ...short } = good;
      expect(of(short)).to.deep.equal([`column sequence (${sequence}) is not declared`]);
      expect(of({ ...short, sequenze: 'number' })).to.deep.equal([
        'column sequence (number) is not declared',
        'column sequenze is declared and not returned',
      ]);
      expect(of({ ...good, sequence: 'string' })).to.deep.equal([
        'column sequence is number, declared as string',
      ]);
      expect(of(good, { id: 'number' })).to.deep.equal(['parameter id is string, declared as number']);
      expect(of(good, { other: 'string' })).to.deep.equal(['parameter id is not declared']);
      expect(faultsOf(seeded(null, shape({ id: 'string' })), statement, description)).to.have.length(3);
    });
  });
});

/** Faults of a declaration against what Postgres says of its statement. */
function faultsOf(
  { row, params }: Declaration,
  statement: Pick<Statement, 'params'>,
  { parameters, columns }: Description,
): string[] {
  const faults: string[] = [];
  for (const [i, name] of statement.params.entries()) {
    const allowed = TYPES[parameters[i] ?? 0]?.parameter ?? [`of an unknown type (OID ${parameters[i]})`];
    const kinds = params?.get(name);
    if (kinds === undefined) faults.push(`parameter ${name} is not declared`);
    else if (![...kinds].every((kind) => allowed.includes(kind)))
      faults.push(`parameter ${name} is ${allowed.join(' or ')}, declared as ${[...kinds].join(' | ')}`);
  }
  for (const { name, type } of columns) {
    const kind = TYPES[type]?.column ?? `of an unknown type (OID ${type})`;
    const kinds = row?.get(name);
    if (kinds === undefined) faults.push(`column ${name} (${kind}) is not declared`);
    else if (kind !== 'json' && ![...kinds].every((declared) => declared === kind))
      faults.push(`column ${name} is ${kind}, declared as ${[...kinds].join(' | ')}`);
  }
  for (const name of row?.keys() ?? [])
    if (!columns.some((column) => column.name === name))
      faults.push(`column ${name} is declared and not returned`);
  return faults;
}

/** A statement belongs to the declaration with its very name, or else to that whose pattern it fits. */
function isOwn(declaration: Declaration, name: string, all: readonly Declaration[]): boolean {
  if (!declaration.name.test(name)) return false;
  return declaration.isLiteral || !all.some((other) => other.isLiteral && other.name.test(name));
}

/** The positional form has parameters and no names for them. */
function isPositional({ name, params }: Declaration, statements: readonly Statement[]): boolean {
  return (
    params === null &&
    statements.some((statement) => name.test(statement.name) && /\$\d/.test(statement.text))
  );
}

/**
 * The statements of a list depend on its filters, and are declared when it is first read with them: none,
 * each alone, and all.
 */
async function declareLists(): Promise<void> {
  const { listPayments } = await import('../../../src/domain/payments/list.ts');
  const { listDeliveries } = await import('../../../src/domain/webhooks/deliveries/list.ts');
  const unreached = () => Promise.reject(new Error('declared, and not run'));
  const db = { client: { acquireConnection: unreached } } as unknown as Db;
  const day = { from_date: '2026-01-01', to_date: '2026-01-31' };
  const id = '0'.repeat(26);
  const cursor = (text: string) => Buffer.from(text).toString('base64url');
  const payments = { ...day, order_id: 'a', status: ['SETTLED' as const], cursor: cursor(`1.pay_${id}`) };
  for (const query of subsets(payments)) await listPayments(db, 'mer', query, '').catch(() => undefined);
  const deliveries = {
    ...day,
    payment_id: `pay_${id}`,
    event_id: `evt_${id}`,
    status: ['failed' as const],
    type: ['checkout.created' as const],
    cursor: cursor(`dlv_${id}`),
  };
  for (const query of subsets(deliveries)) await listDeliveries(db, 'mer', query).catch(() => undefined);
}

function subsets<Query extends object>(query: Query): Partial<Query>[] {
  const single = Object.entries(query).map(([name, value]) => ({ [name]: value as unknown }));
  return [{}, ...(single as Partial<Query>[]), query];
}

async function withClient(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const database: TestDatabase = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
    await database.drop();
  }
}
