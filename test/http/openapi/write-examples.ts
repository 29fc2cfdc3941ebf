import { writeFileSync } from 'node:fs';
import { produceExamples } from '../../support/openapi-examples/produce.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../support/setup.ts';

/** `npm run examples:openapi`: the examples of the OpenAPI document, as a service takes and returns them. */
await mochaGlobalSetup();
try {
  const text = JSON.stringify(await produceExamples(), null, 2);
  writeFileSync(new URL('../../../assets/openapi/examples.json', import.meta.url), `${text}\n`);
} finally {
  await mochaGlobalTeardown();
}
