import { readdirSync, readFileSync } from 'node:fs';
import { ROOT } from '../../root.ts';

const FOLDER = new URL('migrations/', ROOT);

/**
 * A file of migrations/: `NNNN_name.sql`, with the sections `-- migrate:up` and `-- migrate:down`, or
 * `-- migrate:up transaction:false`.
 */
export interface Migration {
  /** Without its extension, as the database stores it. */
  readonly name: string;
  /** What it runs, one element a round trip. */
  readonly statements: readonly string[];
  /** What takes it back. */
  readonly down: readonly string[];
  /** False: its statements run one by one, as CREATE INDEX CONCURRENTLY must; each can run again. */
  readonly config: { readonly transaction: boolean };
}

/** The names of all migrations, in the order in which they run. */
export function migrationNames(): string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => file.slice(0, -'.sql'.length))
    .sort();
}

/** The migration with this name. Throws when its file is missing or lacks a section. */
export function loadMigration(name: string): Migration {
  return parseMigration(name, readFileSync(new URL(`${name}.sql`, FOLDER), 'utf8'));
}

/** The migration with this name and text. Throws when the text lacks a section. */
export function parseMigration(name: string, text: string): Migration {
  const [, alone, up, down] =
    /^-- migrate:up( transaction:false)?\n(.*)^-- migrate:down\n(.*)/ms.exec(text) ?? [];
  if (up === undefined || down === undefined)
    throw new Error(
      `migrations/${name}.sql must have a section "-- migrate:up" and then one "-- migrate:down"`,
    );
  const transaction = alone === undefined;
  return {
    name,
    statements: split(up, transaction),
    down: split(down, transaction),
    config: { transaction },
  };
}

/** Several statements at once are a transaction, so those that need none are sent one by one. */
function split(section: string, isTransaction: boolean): string[] {
  return isTransaction ? [section] : section.split(/;$/m).filter((text) => text.trim() !== '');
}
