// `node --import tsx docs-site/build.ts [folder]` renders the documentation into static files, which web
// serves from memory. `npm run build` runs it behind build.mjs, which empties the parent of the folder.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHandlers } from '../src/background/workers.ts';
import { createAdapters } from '../src/domain/adapters.ts';
import { variantOf } from '../src/http/docs/site.ts';
import { openApiDocument } from '../src/http/openapi/document.ts';
import { createEndpoints } from '../src/http/routes.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { ROOT } from '../src/platform/root.ts';
import { renderSite } from './render.ts';

const target = resolve(process.argv[2] ?? fileURLToPath(new URL('dist/docs', ROOT)));
const config = readConfig({ DATABASE_URL: 'postgres://nobody', NODE_ENV: 'development' });
const adapters = createAdapters(config);
const health = { report: () => Promise.reject(new Error('nothing runs here')) };

rmSync(target, { recursive: true, force: true });
for (const hasSandbox of [true, false]) {
  const sandbox = hasSandbox ? { adapters, handlersFor: createHandlers } : null;
  const endpoints = createEndpoints({ adapters, sandbox, health });
  const files = await renderSite(openApiDocument(endpoints, config.publicUrl));
  for (const [name, content] of files) {
    const file = join(target, variantOf(hasSandbox), name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}
