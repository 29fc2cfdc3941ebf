import type { Environment } from '../../src/platform/config/config.ts';
import { createHarness, type Harness } from './harness.ts';
import { listen, type Listening } from './http.ts';

/** Sets up one harness for the surrounding `describe`, served over a real connection. */
export function servedHarness(
  take: (opened: { harness: Harness; server: Listening }) => unknown,
  env: Environment = {},
): void {
  let harness: Harness;
  let server: Listening;
  before(async () => {
    harness = await createHarness(env);
    server = await listen(harness.app);
    await take({ harness, server });
  });
  after(async () => {
    await server.close();
    await harness.close();
  });
}
