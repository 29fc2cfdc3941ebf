/**
 * Several web processes behind one port: Node's own cluster hands them the connections by turns, as a load
 * balancer would, and then has no part in their requests.
 */
import cluster from 'node:cluster';
import { fileURLToPath } from 'node:url';

cluster.setupPrimary({
  exec: fileURLToPath(new URL('../dist/processes/web.js', import.meta.url)),
  execArgv: [],
});
const workers = Array.from({ length: Number(process.env.WEB_PROCESSES) }, () => cluster.fork());
for (const worker of workers)
  worker.on('exit', (code) => {
    if (!isEnding) process.exit(code === 0 ? 1 : code);
  });
let isEnding = false;
process.once('SIGTERM', () => {
  isEnding = true;
  for (const worker of workers) worker.process.kill('SIGTERM');
});
