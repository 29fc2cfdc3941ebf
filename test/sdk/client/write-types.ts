import { writeFileSync } from 'node:fs';
import { clientTypes } from '../../support/client-types.ts';

/** `npm run types:sdk`: the client's types as the service's schemas say them. */
for (const [file, text] of clientTypes())
  writeFileSync(new URL(`../../../src/sdk/client/types/${file}`, import.meta.url), text);
