/** What a value is, for an error: never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  const kind = Object.prototype.toString.call(value).slice('[object '.length, -1).toLowerCase();
  return value === '' ? 'an empty string' : `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** Throws TypeError where the one argument of `name` is no object; `example` is what stands in its braces. */
export function checkOptions(options: unknown, name: string, example: string): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${name} takes one object, not ${kindOf(options)}: ${name}({ ${example} })`);
}

/** Throws TypeError for what is no valid Date. A Date of another realm, such as jsdom's, is one. */
export function checkNow(now: unknown): void {
  if (Object.prototype.toString.call(now) !== '[object Date]')
    throw new TypeError(
      `now must be a Date, not ${kindOf(now)}: leave it out, or pass new Date(milliseconds)`,
    );
  if (Number.isNaN((now as Date).getTime()))
    throw new TypeError('now must be a valid Date: this one has no time');
}

/** Several texts, or one. Throws TypeError for anything else; `example` is what one looks like. */
export function listOf(name: string, value: unknown, example: string): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const one of all)
    if (typeof one !== 'string')
      throw new TypeError(`${name} must be a string or an array of strings, ${example}, not ${kindOf(one)}`);
  return all as readonly string[];
}
