import { join } from 'node:path';
import { expect } from 'chai';
import { createHandlers } from '../../src/background/workers.ts';
import { createAdapters } from '../../src/domain/adapters.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Job } from '../../src/domain/schedule/job.ts';
import { filesBelow, ROOT } from '../support/documents.ts';

const DECLARATIONS = filesBelow('src/domain').filter((file) => file.endsWith('/jobs.ts'));

describe('every declared job', () => {
  it('has a handler, and no handler is without a declaration', async () => {
    const declared: Job[] = [];
    for (const file of DECLARATIONS)
      declared.push(...Object.values((await import(join(ROOT, file))) as Record<string, Job>));
    const adapters = createAdapters(readConfig({ NODE_ENV: 'test', DATABASE_URL: 'postgres://db/x' }));
    expect([...createHandlers(adapters).keys()]).to.have.members(declared.map(({ name }) => name));
  });
});
