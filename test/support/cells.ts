import supertest from 'supertest';
import { createApp } from '../../src/http/app.ts';
import type { Harness } from './harness.ts';

/** The same service, on the same database, once its operator has set CELL. */
export function withCell(harness: Harness, cell: string): Harness {
  const ctx = { ...harness.ctx, config: { ...harness.ctx.config, cell } };
  const { adapters, sandbox, health } = harness;
  const app = createApp(ctx, { redis: null, admin: null, adapters, sandbox, health });
  return {
    ...harness,
    ctx,
    app,
    api(method, path, apiKey = harness.merchant.apiKey) {
      const request = supertest(app)[method](path);
      return apiKey === null ? request : request.set('X-API-Key', apiKey);
    },
  };
}
