import pg from 'pg';

type Statement = string | { readonly name?: string; readonly text?: string };

/** Runs `work` and returns the text of every statement sent to Postgres meanwhile, on any connection. */
export async function recordQueries(work: () => Promise<unknown>): Promise<string[]> {
  return (await record(work)).map(textOf);
}

/** Returns the name of every statement of `work`, or its text without one: its round trips, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await record(work)).map((statement) =>
    typeof statement === 'string' ? statement : (statement.name ?? textOf(statement)),
  );
}

/** Like `statementsOf`, one by one: those of a transaction may share round trips. */
export async function singleStatementsOf(work: () => Promise<unknown>): Promise<string[]> {
  return (await statementsOf(work)).flatMap((together) => together.split('; '));
}

async function record(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Sent[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const statement = args[0] as Statement;
    // The use of a key is recorded once an hour, and no request waits for it, or for the connection that it
    // may open.
    if (!/SET last_used_at|set_config\(/.test(textOf(statement))) sent.push({ client: this, statement });
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return ofWork(sent);
}

interface Sent {
  readonly client: unknown;
  readonly statement: Statement;
}

/** What is collected of the requests of keys is stored behind their responses, at any moment. */
const COLLECTED = /\bkey_request_/;

/** Leaves out the transactions that store what was collected, also one of which only a part was recorded. */
function ofWork(sent: readonly Sent[]): Statement[] {
  const open = new Map<unknown, Sent[]>();
  const others = new Set<Sent>();
  for (const one of sent) {
    const text = textOf(one.statement);
    const isEnd = text === 'COMMIT;';
    if (text === 'BEGIN;') open.set(one.client, []);
    const transaction = open.get(one.client);
    transaction?.push(one);
    if (transaction === undefined && (isEnd || COLLECTED.test(text))) others.add(one);
    if (transaction === undefined || !isEnd) continue;
    open.delete(one.client);
    if (transaction.some(({ statement }) => COLLECTED.test(textOf(statement))))
      for (const its of transaction) others.add(its);
  }
  for (const begun of open.values()) for (const its of begun) others.add(its);
  return sent.filter((one) => !others.has(one)).map(({ statement }) => statement);
}

function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : (statement.text ?? '');
}
