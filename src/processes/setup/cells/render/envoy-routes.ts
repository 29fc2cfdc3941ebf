import type { Cell } from '../../../../platform/cells/file.ts';
import { PATTERNS, TILL_COOKIE, type Routing } from './routing.ts';

/** The cluster of what is the same everywhere; no cell has an underscore in its name. */
export const EVERY_CELL = 'every_cell';

/** Patterns of Envoy match a value as a whole. */
export const regexOf = (regex: string) => ({ safe_regex: { regex } });

/** The first route that matches counts: what is the same everywhere, each cell, then the default. */
export function routesOf({ cells, default: home }: Routing) {
  const route = (cluster: string) => ({ cluster, timeout: '90s', idle_timeout: '90s' });
  const path = (pattern: string) => regexOf(`(?i)${pattern.replace(/\$$/, '')}`);
  return [
    {
      match: path(PATTERNS.shared),
      route: {
        cluster: EVERY_CELL,
        timeout: '5s',
        retry_policy: {
          retry_on: 'connect-failure,reset,retriable-status-codes',
          retriable_status_codes: [404],
          num_retries: 3,
        },
      },
    },
    ...cells.flatMap((cell) => matchesOf(cell).map((match) => ({ match, route: route(cell.name) }))),
    { match: { prefix: '/' }, route: route(home.name) },
  ];
}

/** Each way in which a request says this cell. */
function matchesOf({ name }: Cell) {
  const inCell = (pattern: string) => pattern.replace('[a-z0-9]{1,8}', name);
  const start = inCell(PATTERNS.token).slice(1);
  const api = `(?i)${PATTERNS.api.replace('(/|$)', '(/.*)?')}`;
  const till = `(?i)${PATTERNS.till.replace('(/|$)', '(/.*)?')}`;
  const desk = `(?i)${inCell(PATTERNS.desk).replace('(/|$)', '(/.*)?')}`;
  return [
    { ...regexOf(api), headers: [{ name: 'x-api-key', string_match: regexOf(inCell(PATTERNS.key)) }] },
    regexOf(`(?i)${PATTERNS.page.replace('([^/]+?)', `${start}[^/]+?`).replace(/\$$/, '')}`),
    {
      ...regexOf(till),
      headers: [{ name: 'cookie', string_match: regexOf(`(.*;\\s*)?${TILL_COOKIE}=${start}.*`) }],
    },
    regexOf(desk),
  ];
}
