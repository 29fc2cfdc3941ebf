import { copyFileSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { configure } from '../support/deliveries.ts';
import { filesBelow, ROOT } from '../support/documents.ts';
import { freePort } from '../support/free-port.ts';
import type { Harness } from '../support/harness.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { installHelpers, startNode, type Service } from '../processes/service.ts';

/** The program of examples/shop, with a database of its own. */
export interface RunningShop {
  readonly url: string;
  readonly program: Service;
  /** Ends the program, and removes its folder and its database. */
  close(): Promise<void>;
}

/** Starts the shop as a merchant of the service at `baseUrl`, which sends it the events. */
export async function startShop(harness: Harness, baseUrl: string): Promise<RunningShop> {
  const folder = mkdtempSync(join(tmpdir(), 'test-shop-'));
  installHelpers(folder);
  for (const name of ['express', 'pg'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const file of filesBelow('examples/shop'))
    copyFileSync(join(ROOT, file), join(folder, basename(file)));
  const database = await createTestDatabase();
  const port = await freePort();
  const { apiKey, webhookSecret } = harness.merchant;
  const program = startNode(
    ['shop.mjs'],
    {
      PAYMENT_CHECKOUT_KEY: apiKey,
      PAYMENT_CHECKOUT_URL: baseUrl,
      DATABASE_URL: database.url,
      PORT: String(port),
      WEBHOOK_SECRET: webhookSecret,
    },
    { cwd: folder },
  );
  await program.says('listening on port');
  const url = `http://127.0.0.1:${port}`;
  await configure(harness, `${url}/hooks`);
  return {
    url,
    program,
    async close() {
      program.signal('SIGKILL');
      await program.ended();
      await database.drop();
      rmSync(folder, { recursive: true });
    },
  };
}
