/** Whether a caught value is an error of Node or Postgres that bears one of the codes ('ENOENT', '42P04'). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
