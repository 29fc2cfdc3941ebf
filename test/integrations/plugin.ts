import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { read, ROOT } from '../support/documents.ts';

/** Makes the archive of the plugin as its README says, and returns the folder that is in it. */
export function archived(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-plugin-'));
  process.once('exit', () => rmSync(folder, { recursive: true }));
  symlinkSync(join(ROOT, 'integrations'), join(folder, 'integrations'));
  const [, commands = ''] = /^```sh\n(.*?)^```/ms.exec(read('integrations/woocommerce/README.md')) ?? [];
  const { status, stderr } = spawnSync('sh', ['-e', '-c', commands], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`the archive cannot be made:\n${stderr}`);
  return join(folder, 'dist/payment-checkout');
}
