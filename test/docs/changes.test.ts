import { expect } from 'chai';
import { API_ERRORS } from '../../src/domain/api/errors.ts';
import { VERSION } from '../../src/platform/root.ts';
import { EVENT_TYPES } from '../../src/sdk/index.ts';
import { read } from '../support/documents.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const METHOD = /^(?:GET|POST|PUT|DELETE) /;

describe('docs/guides/changes.md', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  const text = read('docs/guides/changes.md');
  const named = new Set(
    [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' ')),
  );

  it('begins with the version of the service', () => {
    expect(/^## (.*)$/m.exec(text)?.[1]).to.include(VERSION);
  });

  it('names every operation, every type of event and every error, and no operation that is gone', async () => {
    const { body } = await harness.api('get', '/v1/openapi.json');
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect([...named].filter((code) => METHOD.test(code)).sort()).to.deep.equal(operations.sort());
    expect([...named]).to.include.members([...EVENT_TYPES, ...Object.keys(API_ERRORS)]);
  });
});
