import { run, runOne, sql, type Connection, type Db } from '../../../platform/postgres/db.ts';

/** Filters of a merchant's payments that a person keeps by a name. */
export interface View {
  /** A 64-bit number. */
  readonly id: string;
  readonly name: string;
  /** The query of the list's page. */
  readonly filters: string;
}

/** Whose view: nobody sees another person's. */
export interface Keeper {
  readonly merchantId: string;
  readonly personId: string;
}

/** More would be a list to search in. */
export const MAX_VIEWS = 20;
export const MAX_NAME_LENGTH = 60;

// Index: payment_views_merchant_id_person_id_name_key.
const viewsOf = sql<View, Keeper>(
  'payment_views_of_person',
  (p) => `
    SELECT id, name, filters FROM payment_views
    WHERE merchant_id = ${p.merchantId} AND person_id = ${p.personId} ORDER BY name, id`,
);

/** Returns a person's views of a merchant's payments, by name. */
export async function listViews(connection: Connection, keeper: Keeper): Promise<View[]> {
  return run(connection, viewsOf, keeper);
}

/** Of two that are kept at once the second finds the first. */
const lockKeeper = sql<{ role: string }, Keeper>(
  'lock_keeper_of_views',
  (p) => `
    SELECT role FROM memberships WHERE merchant_id = ${p.merchantId} AND person_id = ${p.personId}
    FOR NO KEY UPDATE`,
);
const keepRow = sql<never, Keeper & Omit<View, 'id'>>(
  'keep_payment_view',
  (p) => `
    INSERT INTO payment_views (merchant_id, person_id, name, filters)
    VALUES (${p.merchantId}, ${p.personId}, ${p.name}, ${p.filters})
    ON CONFLICT (merchant_id, person_id, name) DO UPDATE SET filters = excluded.filters`,
);

/** Why a view is not kept. */
export type ViewFault = 'badName' | 'nameTaken' | 'tooMany';

/** Keeps filters by a name, in the place of those that had it. Returns why not, or null. */
export function keepView(
  db: Db,
  keeper: Keeper,
  { name: given, filters }: Omit<View, 'id'>,
): Promise<ViewFault | null> {
  const name = given.trim();
  return db.transaction(async (tx) => {
    await run(tx, lockKeeper, keeper);
    const views = await listViews(tx, keeper);
    if (!isName(name)) return 'badName';
    if (views.length >= MAX_VIEWS && !views.some((view) => view.name === name)) return 'tooMany';
    await run(tx, keepRow, { ...keeper, name, filters });
    return null;
  });
}

const renameRow = sql<{ id: string }, Keeper & Pick<View, 'id' | 'name'>>(
  'rename_payment_view',
  (p) => `
    UPDATE payment_views SET name = ${p.name}
    WHERE id = ${p.id} AND merchant_id = ${p.merchantId} AND person_id = ${p.personId} RETURNING id`,
);

/** Names a person's view anew. Returns why not, or null; `missing`: they have no such view. */
export function renameView(
  db: Db,
  keeper: Keeper,
  id: string,
  given: string,
): Promise<ViewFault | 'missing' | null> {
  const name = given.trim();
  return db.transaction(async (tx) => {
    await run(tx, lockKeeper, keeper);
    const views = await listViews(tx, keeper);
    if (!views.some((view) => view.id === id)) return 'missing';
    if (!isName(name)) return 'badName';
    if (views.some((view) => view.name === name && view.id !== id)) return 'nameTaken';
    await run(tx, renameRow, { ...keeper, id, name });
    return null;
  });
}

const deleteRow = sql<{ id: string }, Keeper & Pick<View, 'id'>>(
  'delete_payment_view',
  (p) => `
    DELETE FROM payment_views
    WHERE id = ${p.id} AND merchant_id = ${p.merchantId} AND person_id = ${p.personId} RETURNING id`,
);

/** Deletes a person's view; false: they have no such view. */
export async function deleteView(connection: Connection, keeper: Keeper, id: string): Promise<boolean> {
  return /^\d{1,18}$/.test(id) && (await runOne(connection, deleteRow, { ...keeper, id })) !== null;
}

/** Postgres rejects NUL, and half a character. */
const isName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME_LENGTH && !name.includes('\0') && name.isWellFormed();
