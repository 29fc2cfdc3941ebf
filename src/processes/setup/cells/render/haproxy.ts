import type { Cell } from '../../../../platform/cells/file.ts';
import {
  AWAY_HEADERS,
  awayBody,
  awayPage,
  headOf,
  PATTERNS,
  TILL_COOKIE,
  type Rendered,
  type Routing,
} from './routing.ts';

/** Clients that are connected and ask nothing, beside the requests of the cells. */
const IDLE_CONNECTIONS = 4_000;

/** The configuration of HAProxy 2.6 or newer. It reads the map file of moved keys itself. */
export function renderHaproxy(routing: Routing): Rendered {
  const parts = [headOf('haproxy'), GLOBAL(routing), DEFAULTS(routing), frontend(routing)];
  const backends = routing.cells.flatMap((cell) => [apiOf(cell), pagesOf(cell)]);
  return {
    'haproxy.cfg': `${[...parts, ...backends, shared(routing)].join('\n\n')}\n`,
    'away.html': awayPage(),
  };
}

const GLOBAL = ({ cells, connections }: Routing) => `global
    log stdout format raw daemon
    user haproxy
    group haproxy
    maxconn ${cells.length * connections + IDLE_CONNECTIONS}
    ssl-default-bind-options ssl-min-ver TLSv1.2 no-tls-tickets
    # The page of a 503 must fit.
    tune.bufsize 32768`;

const DEFAULTS = ({ connections, folder }: Routing) => `defaults base
    mode http
    log global
    option dontlognull
    option forwardfor
    option redispatch
    retries 2
    timeout connect 1s
    timeout queue 1s
    timeout client 90s
    # Streams of open pages say something every 20 s, the longest requests take a minute.
    timeout server 90s
    timeout http-request 10s
    timeout http-keep-alive 60s
    # A cell that hangs is found within 5 s; what waits for it gets 503 then, and what comes later at once.
    timeout check 1s
    option httpchk
    http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host cells
    http-check expect status 200
    default-server check inter 2s fastinter 500ms downinter 1s fall 2 rise 1 on-marked-down shutdown-sessions

defaults api from base
    http-request deny deny_status 503 if { be_conn gt ${connections} }
${away('application/json; charset=utf-8', `lf-string '${BODY}'`)}

defaults pages from base
    http-request deny deny_status 503 if { be_conn gt ${connections} }
${away('text/html; charset=utf-8', `file ${folder}/away.html`)}`;

const BODY = awayBody({
  timestamp: '%[date,utime(%Y-%m-%dT%H:%M:%S.000Z)]',
  path: '%[var(txn.path)]',
  id: '%[var(txn.id)]',
});

/** Whatever HAProxy says itself of a cell that is away is a 503. */
function away(type: string, content: string): string {
  const headers: readonly (readonly [string, string])[] = [
    ...Object.entries(AWAY_HEADERS),
    ['X-RateLimit-Reset', '%[date(60)]'],
    ['X-Request-Id', '%[var(txn.id)]'],
  ];
  const written = headers.map(([name, value]) => `hdr ${name} "${value}"`).join(' ');
  return [
    ...[502, 503, 504].map(
      (status) => `    http-error status ${status} content-type "${type}" ${content} ${written}`,
    ),
    '    http-after-response set-status 503 reason "Service Unavailable" if { status 502 504 }',
  ].join('\n');
}

function frontend(routing: Routing): string {
  const { listen, certificate, cells, moved } = routing;
  return `frontend public from base
    bind ${listen.replace(/^0\.0\.0\.0:/, '*:')} ssl crt ${certificate} alpn h2,http/1.1
    # Keys are in headers and tokens in paths: of a request its address, method, beginning of the path and
    # outcome are logged.
    log-format "%ci %tr %HM %[var(txn.logged)] %ST %B bytes %Ta ms %b/%s %ts"

    acl is_api path -i -m reg '${PATTERNS.api}'
    acl is_page path -i -m reg '${PATTERNS.page}'
    acl is_till path -i -m reg '${PATTERNS.till}'
    acl is_desk path -i -m reg '${PATTERNS.desk}'
    acl is_shared path -i -m reg '${PATTERNS.shared}'
${cells.map(({ name }) => `    acl is_cell var(txn.named) -m str ${name}`).join('\n')}
    acl is_moved var(txn.moved) -m found

    # What a 503 says of its request: its path without the query, and its id.
    http-request set-var(txn.path) path,json(utf8s)
    http-request set-var(txn.id) 'uuid,regsub("-","",g)'
    http-request set-var(txn.id) req.hdr(x-request-id) if { req.hdr(x-request-id) -m reg '${PATTERNS.requestId}' }
    http-request set-var(txn.logged) str(-)
    http-request set-var(txn.logged) 'path,regsub("${PATTERNS.logged}","\\1")' if { path -m reg '${PATTERNS.logged}' }

    # What was sent that says the cell: the key, the token of a page, or that of a till's device.
    http-request set-var(txn.sent) req.fhdr(x-api-key) if is_api
    http-request set-var(txn.sent) req.cook(${TILL_COOKIE}) if is_till
    http-request set-var(txn.sent) 'path,regsub("${PATTERNS.page}","\\2",i)' if is_page
    http-request set-var(txn.named) var(txn.sent),field(3,_) if is_api { var(txn.sent) -m reg '${PATTERNS.key}' }
    http-request set-var(txn.named) var(txn.sent),field(1,.) if { var(txn.sent) -m reg '${PATTERNS.token}' }
    http-request set-var(txn.named) 'path,regsub("${PATTERNS.desk}.*$","\\1",i)' if is_desk
    http-request set-var(txn.moved) var(txn.sent),sha2(256),hex,lower,map_str(${moved}) if { var(txn.sent) -m found }

    http-request set-var(txn.cell) str(${routing.default.name})
    http-request set-var(txn.cell) var(txn.named) if is_cell
    http-request set-var(txn.cell) var(txn.moved) if is_moved

    use_backend shared if is_shared
    use_backend %[var(txn.cell)]_api if is_api
    use_backend %[var(txn.cell)]_pages`;
}

function apiOf({ name, webs }: Cell): string {
  const servers = webs.map((web, at) => `    server web${at + 1} ${web}`);
  return [`backend ${name}_api from api`, ...servers].join('\n');
}

/** The same processes: they are asked for their health once. */
function pagesOf({ name, webs }: Cell): string {
  const servers = webs.map(
    (web, at) => `    server web${at + 1} ${web} no-check track ${name}_api/web${at + 1}`,
  );
  return [`backend ${name}_pages from pages`, ...servers].join('\n');
}

/**
 * What another release names otherwise is looked for in other cells. An underscore is in the name of no cell:
 * without it the web 11 of `b` and the web 1 of `b1` had one name.
 */
function shared({ cells }: Routing): string {
  const servers = cells.flatMap(({ name, webs }) =>
    webs.map((web, at) => `    server ${name}_${at + 1} ${web} no-check track ${name}_api/web${at + 1}`),
  );
  return [
    'backend shared from pages',
    '    timeout server 2s',
    '    retries 3',
    '    option redispatch 1',
    '    retry-on conn-failure empty-response response-timeout 404',
    ...servers,
  ].join('\n');
}
