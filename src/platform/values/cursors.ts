/**
 * The `next_cursor` of a list: the position after its last row, as the parts of the list's sort key.
 * Base64url, so that clients treat it as opaque.
 */
export function encodeCursor(parts: readonly (string | number)[]): string {
  return Buffer.from(parts.join('.')).toString('base64url');
}

/**
 * The parts of a cursor that `encodeCursor` made, each by its name; null unless each of them, and nothing
 * more, matches its pattern. The patterns describe a whole part, without the separator `.`.
 */
export function decodeCursor<Name extends string>(
  cursor: string,
  patterns: Readonly<Record<Name, RegExp>>,
): Readonly<Record<Name, string>> | null {
  const parts = Buffer.from(cursor, 'base64url').toString().split('.');
  const names = Object.keys(patterns) as Name[];
  if (parts.length !== names.length) return null;
  const named = names.map((name, i) => [name, parts[i] ?? ''] as const);
  if (!named.every(([name, part]) => patterns[name].test(part))) return null;
  return Object.fromEntries(named) as Record<Name, string>;
}
