import { phpClient } from './php.ts';
import { pythonFiles } from './python.ts';
import { vectorFile } from './vectors.ts';

/** What `npm run integrations` writes, by its path below integrations/. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['vectors.json', `${JSON.stringify(vectorFile(), null, 2)}\n`],
    ['php/src/Client.php', phpClient()],
    ...[...pythonFiles()].map(([name, text]) => [`python/payment_checkout/${name}`, text] as const),
  ]);
}
