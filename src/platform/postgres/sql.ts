/**
 * A declared statement: SQL text that Postgres prepares once per connection under `name`. `Row` is the shape
 * of its rows, `Params` the object that a caller gives; a test holds both against the live schema.
 */
export interface Statement<Row = unknown, Params = readonly unknown[]> {
  readonly name: string;
  readonly text: string;
  /** The parameters' names in the order of their numbers: the first is `$1`. */
  readonly params: readonly string[];
  readonly rows?: Row;
  readonly values?: Params;
}

/**
 * A placeholder for each parameter by its name: `p.paymentId` is `$1` where it is the first that the text
 * names.
 */
export type Placeholders<Params> = { readonly [Name in keyof Params]-?: string };

/** Postgres cuts longer identifiers (NAMEDATALEN - 1), so that two of them could become one. */
const MAX_NAME_LENGTH = 63;

/** Every statement that was declared, by name. */
export const declaredStatements: ReadonlyMap<string, Statement> = new Map();

/**
 * Declares a statement. Its parameters are named: `` sql<Row, { id: string }>('find', (p) => `SELECT ...
 * WHERE id = ${p.id}`) ``. They are numbered once, here, so that the prepared text stays one constant. Throws
 * when the name is longer than Postgres keeps, and when it is taken by another text: one name for two texts
 * would fail when the second is prepared.
 */
export function sql<Row = never>(name: string, text: string): Statement<Row>;
export function sql<Row, Params extends object>(
  name: string,
  text: (p: Placeholders<Params>) => string,
): Statement<Row, Params>;
export function sql(name: string, text: string | ((p: Record<string, string>) => string)): Statement {
  if (name.length > MAX_NAME_LENGTH)
    throw new Error(`the statement name ${name} is longer than ${MAX_NAME_LENGTH} characters`);
  const params: string[] = [];
  const statement = { name, text: typeof text === 'string' ? text : text(placeholders(params)), params };
  const known = declaredStatements.get(name);
  if (known !== undefined && known.text !== statement.text)
    throw new Error(`two statements are declared as ${name}`);
  (declaredStatements as Map<string, Statement>).set(name, statement);
  return statement;
}

/** Gives a name the next number when it is first asked for, and the same one from then on. */
function placeholders(params: string[]): Record<string, string> {
  const numberOf = (name: string) => {
    if (!params.includes(name)) params.push(name);
    return `$${params.indexOf(name) + 1}`;
  };
  return new Proxy({}, { get: (_, name) => numberOf(String(name)) });
}

/** The values of a statement's parameters in the order of their numbers. */
export function valuesOf<Params>({ params }: Statement<unknown, Params>, values: Params): unknown[] {
  if (Array.isArray(values)) return values;
  const named = values as Readonly<Record<string, unknown>>;
  return params.map((name) => named[name]);
}

/**
 * Rows as one parameter, for `json_to_recordset` or `jsonb_to_recordset`: a set travels as one value with
 * named columns.
 */
export function recordset(rows: readonly object[]): string {
  return JSON.stringify(rows);
}

/** Returns rows by key, each group in the order of the rows. Node 20 has no Map.groupBy. */
export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group === undefined) groups.set(keyOf(row), [row]);
    else group.push(row);
  }
  return groups;
}
