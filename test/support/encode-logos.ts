/**
 * A process with little memory that encodes the image of its standard input five times at once. Prints what
 * came of each. Started by `test/domain/checkout/appearance/encode-logo.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { encodeInTurn } from '../../src/domain/checkout/appearance/encode-logo.ts';

const bytes = readFileSync(0);
const results = await Promise.allSettled(
  Array.from({ length: 5 }, () => encodeInTurn('mer_1', 'image/png', bytes)),
);
for (const result of results)
  console.log(result.status === 'fulfilled' ? 'encoded' : (result.reason as Error).message);
