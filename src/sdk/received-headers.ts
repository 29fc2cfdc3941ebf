import { kindOf } from './check.ts';

/**
 * Headers as they were received: Node's or any other plain object, names in any case, or a Fetch `Headers`.
 */
export type ReceivedHeaders = FetchHeaders | NamedHeaders;

interface FetchHeaders {
  /** Returns the value of a header, null where it is missing. */
  readonly get: (name: string) => string | null;
}
interface NamedHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** Throws TypeError for what holds no headers by their names. */
export function checkHeaders(headers: unknown): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
    throw new TypeError(
      `headers must be the request's headers, a Fetch Headers or an object such as request.headers, not ${kindOf(headers)}`,
    );
}

/** All values that a header has; none when it is missing. `name` is in lower case. */
export function headerValues(headers: ReceivedHeaders, name: string): readonly string[] {
  if (isFetchHeaders(headers)) {
    const value = headers.get(name) ?? null;
    return value === null ? [] : [value];
  }
  // Only a caller's own object can hold a value that is no string.
  return Object.entries<unknown>(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
    .map(String);
}

// A plain object may hold a header named "get"; its value is a string.
function isFetchHeaders(headers: ReceivedHeaders): headers is FetchHeaders {
  return typeof headers.get === 'function';
}
