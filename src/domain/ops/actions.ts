import { run, sql, type Connection } from '../../platform/postgres/db.ts';

/** What an operator changed by a command. */
export interface OperatorAction {
  readonly at: Date;
  /** user@host, as the command saw them, behind the name of OPS_ACTOR. */
  readonly actor: string;
  readonly command: string;
  /** Ids and options; no secrets. */
  readonly details: object;
}

const insertAction = sql<never, Omit<OperatorAction, 'details'> & { details: string }>(
  'insert_operator_action',
  (p) => `
    INSERT INTO operator_actions (at, actor, command, details)
    VALUES (${p.at}, ${p.actor}, ${p.command}, ${p.details})`,
);

/** Writes down who changed what. */
export async function recordAction(connection: Connection, action: OperatorAction): Promise<void> {
  await run(connection, insertAction, { ...action, details: JSON.stringify(action.details) });
}

const latestActions = sql<OperatorAction, { limit: number }>(
  'latest_operator_actions',
  (p) => `SELECT at, actor, command, details FROM operator_actions ORDER BY id DESC LIMIT ${p.limit}`,
);

/** Returns what operators changed last, newest first. */
export async function listActions(connection: Connection, limit: number): Promise<OperatorAction[]> {
  return run(connection, latestActions, { limit });
}
