/**
 * Headers as they were received: Node's or any other plain object, names in any case, or a Fetch `Headers`.
 */
export type ReceivedHeaders = FetchHeaders | NamedHeaders;

interface FetchHeaders {
  readonly get: (name: string) => string | null;
}
interface NamedHeaders {
  readonly [name: string]: string | readonly string[] | undefined;
}

/** All values that a header has; none when it is missing. `name` is in lower case. */
export function headerValues(headers: ReceivedHeaders, name: string): readonly string[] {
  if (isFetchHeaders(headers)) {
    const value = headers.get(name);
    return value === null ? [] : [value];
  }
  return Object.entries<NamedHeaders[string]>(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? []);
}

// A plain object may hold a header named "get"; its value is a string.
function isFetchHeaders(headers: ReceivedHeaders): headers is FetchHeaders {
  return typeof headers.get === 'function';
}
