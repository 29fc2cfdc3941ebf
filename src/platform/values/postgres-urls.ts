/** The servers that a URL of Postgres names. */
export interface Servers {
  /** One URL for each host, in the URL's order, without what only this service understands. */
  readonly urls: readonly string[];
  /** Whether a connection must reach the server that takes writes (`target_session_attrs`). */
  readonly mustWrite: boolean;
}

/** The authority in its parts: scheme and user, hosts, the rest. */
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)(.*)$/s;

const TARGET = 'target_session_attrs';
/** The values of libpq that name a server that takes writes; this service has no use for another. */
const WRITING = ['read-write', 'primary'];

/**
 * Reads a URL as libpq does: `postgres://user:password@host1:5432,host2:5433/name?target_session_attrs=
 * read-write`. Throws an error whose message completes the sentence "DATABASE_URL ...".
 */
export function parseServers(url: string): Servers {
  const [, start = '', hosts = '', rest = ''] = PARTS.exec(url) ?? [];
  const target = targetOf(rest);
  const names = hosts.split(',');
  if (names.length > 1 && target === null)
    throw new Error(
      `must have ?${TARGET}=read-write where it names several hosts: connections must reach the one that takes writes`,
    );
  if (target !== null && !WRITING.includes(target))
    throw new Error(`must have ${TARGET}=read-write or none: the service writes`);
  if (names.length > 1 && names.includes('')) throw new Error('has an empty host between its commas');
  return { urls: names.map((host) => start + host + withoutTarget(rest)), mustWrite: target !== null };
}

function targetOf(rest: string): string | null {
  const query = rest.indexOf('?');
  return query < 0 ? null : new URLSearchParams(rest.slice(query)).get(TARGET);
}

/** Leaves every other parameter as it is written. */
function withoutTarget(rest: string): string {
  const [path = '', ...query] = rest.split('?');
  const kept = query
    .join('?')
    .split('&')
    .filter((pair) => pair !== '' && !pair.startsWith(`${TARGET}=`));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}
