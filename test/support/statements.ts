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
  const sent: Statement[] = [];
  const prototype = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const statement = args[0] as Statement;
    // The use of a key is recorded once an hour, and no request waits for it, or for the connection that it
    // may open.
    if (!/SET last_used_at|set_config\(/.test(textOf(statement))) sent.push(statement);
    return query.apply(this, args);
  };
  try {
    await work();
  } finally {
    prototype.query = query;
  }
  return sent;
}

function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : (statement.text ?? '');
}
