import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFICATES, RECEIVER_KEY } from './certificates.ts';
import { read, ROOT } from './documents.ts';
import { freePort } from './free-port.ts';
import { startKept } from './kept-process.ts';
import { until } from './until.ts';

/** A proxy that runs an example of this project, before the web at `webPort`. */
export interface RunningProxy {
  readonly port: number;
  /** All that it has logged so far, wherever. */
  log(): string;
  stop(): Promise<void>;
}

export interface ProxyExample {
  readonly program: string;
  readonly file: string;
  start(webPort: number): Promise<RunningProxy>;
}

/** What runs for each example of a proxy's configuration. */
export const PROXY_EXAMPLES: readonly ProxyExample[] = [
  {
    program: 'caddy',
    file: 'deploy/compose/Caddyfile',
    start: (webPort) =>
      startProxy((folder, port) => [
        'env',
        // Its own files belong into the folder; without TLS it installs no authority.
        `HOME=${folder}`,
        `SITE_ADDRESS=http://127.0.0.1:${port}`,
        'WEB_HOST=127.0.0.1',
        `WEB_PORT=${webPort}`,
        'caddy',
        'run',
        '--adapter=caddyfile',
        `--config=${join(ROOT, 'deploy/compose/Caddyfile')}`,
      ]),
  },
  {
    program: 'nginx',
    file: 'deploy/nginx/payment-checkout.conf',
    start: (webPort) => startProxy((folder, port) => writeNginxConfiguration(folder, port, webPort)),
  },
];

/** Whether the program is on this machine. */
export function hasProgram(name: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;
}

/** The example as it stands, but for its ports and files, in a configuration that has nothing else. */
function writeNginxConfiguration(folder: string, port: number, webPort: number): string[] {
  const example = read('deploy/nginx/payment-checkout.conf')
    .replaceAll('listen 443 ssl http2', `listen 127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${webPort}`)
    .replaceAll('/etc/nginx/pay.example.com', join(folder, 'site'))
    .replaceAll('/var/log/nginx', folder);
  writeFileSync(join(folder, 'site.pem'), CERTIFICATES.trusted);
  writeFileSync(join(folder, 'site.key'), RECEIVER_KEY);
  writeFileSync(join(folder, 'example.conf'), example);
  const main = `daemon off; master_process off; pid nginx.pid; error_log stderr info; events {}
    http { access_log off; client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi; include example.conf; }`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  return ['nginx', '-p', folder, '-c', 'nginx.conf'];
}

/** Starts a proxy in a folder of its own, on a port that is free where none is given. */
export async function startProxy(
  commandFor: (folder: string, port: number) => readonly string[] | Promise<readonly string[]>,
  givenPort?: number,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), 'test-proxy-'));
  const port = givenPort ?? (await freePort());
  const server = await startKept(folder, await commandFor(folder, port));
  const log = () =>
    ['output', 'payment-checkout.log', 'cells.log']
      .map((name) => join(folder, name))
      .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
      .join('');
  await until('the proxy listens', () => isListening(port), 10_000).catch((error: unknown) =>
    Promise.reject(new Error(log(), { cause: error })),
  );
  return { port, log, stop: () => server.stop() };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
