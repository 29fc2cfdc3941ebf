import type { Cell } from '../../../../platform/cells/file.ts';
import { LOG, mapsOf, sizesOf } from './nginx-maps.ts';
import {
  AWAY_HEADERS,
  awayBody,
  awayPage,
  headOf,
  PATTERNS,
  type Rendered,
  type Routing,
} from './routing.ts';

/**
 * The configuration of nginx 1.22 or newer, for /etc/nginx/conf.d. Once a merchant was moved, it needs the
 * module of Perl (`libnginx-mod-http-perl`), because nginx computes no SHA-256 by itself.
 */
export function renderNginx(routing: Routing): Rendered {
  const { keysAndTokens } = routing;
  const moved = [...keysAndTokens].map(([lookup, cell]) => `${lookup} ${cell};\n`).join('');
  const parts = [
    headOf('nginx'),
    sizesOf(routing),
    LOG,
    mapsOf(routing),
    ...routing.cells.map(upstream),
    all(routing),
  ];
  return {
    'nginx.conf': `${[...parts, READY_CACHE, server(routing)].join('\n\n')}\n`,
    'away.html': awayPage(),
    ...(moved === '' ? {} : { 'moved.nginx.map': moved }),
  };
}

const upstream = ({ name, webs }: Cell) => `upstream cell_${name} {
    least_conn;
${webs.map((web) => `    server ${web} max_fails=3 fail_timeout=5s;`).join('\n')}
    # Below web's 65 s, so that no request meets a connection that web closes at that moment.
    keepalive 64;
    keepalive_timeout 30s;
}`;

const all = ({ cells }: Routing) => `upstream cells {
${cells.flatMap(({ webs }) => webs.map((web) => `    server ${web} max_fails=1 fail_timeout=5s;`)).join('\n')}
}`;

const READY_CACHE = `# nginx asks nobody for their health by itself: a request does, once in 2 s.
proxy_cache_path /var/lib/nginx/cells-ready keys_zone=cells_ready:1m max_size=10m;
limit_conn_zone $cell zone=cells:1m;`;

function server(routing: Routing): string {
  const { listen, certificate, folder } = routing;
  return `server {
    listen ${listen.replace(/^0\.0\.0\.0:/, '')} ssl http2;
    ssl_certificate ${certificate};
    ssl_certificate_key ${certificate};
    ssl_protocols TLSv1.2 TLSv1.3;
    access_log /var/log/nginx/cells.log cells;
    # Lines of the error log hold the whole request and its referrer, and nginx cannot filter them.
    error_log /dev/null emerg;
    client_max_body_size 2m;
    client_header_timeout 10s;

    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header Host $host;
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    proxy_set_header X-Forwarded-Proto $scheme;
    proxy_connect_timeout 1s;
    proxy_next_upstream error;

    location ~* "${PATTERNS.shared}" {
        error_page 500 502 503 504 =503 /-away.html;
        proxy_pass http://cells;
        # What another release names otherwise is looked for in other cells.
        proxy_next_upstream error timeout http_404 http_503;
        proxy_next_upstream_tries 4;
        proxy_read_timeout 2s;
    }
${toCell(routing, `~* "${LONG}"`, { away: 'json', seconds: 90 })}
${toCell(routing, `~* "${PATTERNS.api}"`, { away: 'json', seconds: 10 })}
    # Streams of open pages say something every 20 s.
${toCell(routing, '/', { away: 'html', seconds: 90 })}
    location = /-ready {
        internal;
        proxy_pass http://cell_$cell/readyz;
        proxy_pass_request_body off;
        proxy_pass_request_headers off;
        proxy_set_header Connection "";
        proxy_set_header Content-Length "";
        proxy_read_timeout 1s;
        proxy_cache cells_ready;
        proxy_cache_key $cell;
        proxy_cache_valid 200 503 2s;
        proxy_ignore_headers Cache-Control;
    }
${away(folder)}
}`;
}

/** Programs of merchants and scenarios are waited for; what else the API does takes seconds. */
const LONG = '^/+v1/+(sandbox|webhooks)(/|$)';

function toCell(
  { connections }: Routing,
  location: string,
  { away: type, seconds }: { away: 'json' | 'html'; seconds: number },
): string {
  return `    location ${location} {
        # What nginx says itself of a cell that is away; what the cell says is passed on.
        error_page 500 502 503 504 =503 /-away.${type};
        auth_request /-ready;
        limit_conn cells ${connections};
        limit_conn_status 503;
        proxy_pass http://cell_$cell;
        # Customers' streams are sent on as they come.
        proxy_buffering off;
        proxy_read_timeout ${seconds}s;
    }`;
}

function away(folder: string): string {
  const body = awayBody({ timestamp: '$away_at', path: '$away_path', id: '$away_id' });
  const headers = Object.entries({
    ...AWAY_HEADERS,
    'X-RateLimit-Reset': '$away_reset',
    'X-Request-Id': '$away_id',
  })
    .map(([name, value]) => `        add_header ${name} "${value}" always;`)
    .join('\n');
  return `    location = /-away.json {
        internal;
        default_type "application/json; charset=utf-8";
${headers}
        return 503 '${body}';
    }
    location = /-away.html {
        internal;
        default_type "text/html; charset=utf-8";
        types {}
        alias ${folder}/away.html;
${headers}
    }`;
}
