import { newToken } from './ids.ts';

/**
 * How an id says its cell, and how that is read; the picture of it is decision 164. An id keeps the cell that
 * it was made in, also when its merchant has moved: the id as a whole is looked up, and nothing compares its
 * cell with CELL. What was made without one belongs to the cell that holds it.
 */
export interface CellSetting {
  /** One to eight of a-z and 0-9; null: there are no cells. */
  readonly cell: string | null;
}

const CELL = '[a-z0-9]{1,8}';
const CELL_FORM = new RegExp(`^${CELL}$`);

/**
 * Pages of the desk that stand where a cell does: `/dashboard/links/...` would be those of a cell `links`. No
 * merchant's id is among them: it has an underscore.
 */
const PAGES_OF_DESK: readonly string[] = ['account', 'links', 'passkey'];

/** Returns a cell's name as it is. Throws an error whose message completes the sentence "CELL ...". */
export function parseCell(value: string): string {
  if (!CELL_FORM.test(value)) throw new Error('must be one to eight of a-z and 0-9');
  if (PAGES_OF_DESK.includes(value))
    throw new Error(`must be none of ${PAGES_OF_DESK.join(', ')}: pages of the dashboard have these names`);
  return value;
}

/**
 * A new API key: `sk_test_` or `sk_live_`, the cell and an underscore where there is one, and 192 random
 * bits. It is shown once, and stored as its hash.
 */
export function newApiKey(mode: 'test' | 'live', { cell }: CellSetting = { cell: null }): string {
  return `sk_${mode}_${cell === null ? '' : `${cell}_`}${newToken()}`;
}

/** An id that stands in public paths, as this cell writes it: `b7.` and the id. */
export function inCell({ cell }: CellSetting, id: string): string {
  return cell === null ? id : `${cell}.${id}`;
}

/** A new public token, 192 random bits: of a checkout page, a link, a till's device. */
export function newPublicToken(setting: CellSetting): string {
  return inCell(setting, newToken());
}

/**
 * Random parts are 32 of A-Z, a-z, 0-9, `_` and `-`, so one may begin as a cell does: `ab_`. The length
 * decides. Behind the mode a key without a cell has 32 characters, and one with a cell 34 to 41: of `ab_` and
 * 29 more characters, no cell can be cut off that leaves 32.
 */
const KEY = new RegExp(`^(sk_(?:test|live)_)(?:(${CELL})_)?[\\w-]{32}$`);

/** A dot is in no random part, so it decides by itself. */
const IN_CELL = new RegExp(`^(${CELL})\\.`);
const TOKEN = new RegExp(`^(?:${CELL}\\.)?[\\w-]{16,64}$`);

/** The cell of an API key or of a public id; null: it names none, or is neither. */
export function cellOf(id: string): string | null {
  return KEY.exec(id)?.[2] ?? IN_CELL.exec(id)?.[1] ?? null;
}

/** The id without its cell. */
export function withoutCell(id: string): string {
  return id.replace(IN_CELL, '');
}

/** True when `text` has the form of a public token, of whichever cell; it need not exist. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** What is shown of a key: its mode, its cell, and 5 of its 32 random characters. */
export const VISIBLE_PREFIX_FORM = new RegExp(`^sk_(?:test|live)_(?:${CELL}_)?[\\w-]{5}$`);
/** Of a key without a cell. */
const VISIBLE_LENGTH = 13;

/** What may be shown of a key: logs and lists tell a merchant's keys apart by it. A prefix is its own. */
export function visiblePrefix(key: string): string {
  if (VISIBLE_PREFIX_FORM.test(key)) return key;
  return key.slice(0, VISIBLE_LENGTH + (KEY.exec(key)?.[2]?.length ?? -1) + 1);
}

const DESK = '/dashboard';
const DESK_PATH = new RegExp(`^${DESK}(?:/(${CELL}))?(?=[/?]|$)`, 'i');

/** A path of the desk, which begins with `/dashboard`, as this cell writes it: `/dashboard/b7/account`. */
export function deskPath({ cell }: CellSetting, path: string): string {
  return cell === null ? path : `${DESK}/${cell}${path.slice(DESK.length)}`;
}

/** The address of a page of the desk, for mails and commands. */
export function deskUrl(config: CellSetting & { readonly publicUrl: string }, path: string): string {
  return `${config.publicUrl}${deskPath(config, path)}`;
}

/**
 * Splits a path of the desk into its cell, null where it names none, and the path without it; null: it is
 * none of the desk's.
 */
export function readDeskPath(path: string): { readonly cell: string | null; readonly path: string } | null {
  const found = DESK_PATH.exec(path);
  if (found === null) return null;
  const [whole, cell] = found;
  if (cell === undefined || PAGES_OF_DESK.includes(cell.toLowerCase())) return { cell: null, path };
  return { cell, path: `${DESK}${path.slice(whole.length)}` };
}
