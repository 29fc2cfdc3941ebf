import { expect } from 'chai';
import * as edge from '../../src/sdk/edge/index.ts';
import * as node from '../../src/sdk/index.ts';
import { REFUSAL_REASONS, webhookSecrets } from '../../src/sdk/index.ts';
import { read } from '../support/documents.ts';
import { secretVectors, vectorFile, webhookVectors, type Vector } from '../support/integrations/vectors.ts';

const VECTORS = webhookVectors();

describe('integrations/vectors.json', () => {
  it('is what `npm run integrations` writes', () => {
    expect(JSON.parse(read('integrations/vectors.json'))).to.deep.equal(vectorFile());
  });

  it('names no case twice, and has one for each reason that another language can give', () => {
    const names = VECTORS.map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    // What is no body as it arrived differs from language to language.
    const reasons = REFUSAL_REASONS.filter((reason) => reason !== 'body_not_raw');
    expect([...new Set(VECTORS.map(({ expect }) => expect))]).to.have.members(['accepted', ...reasons]);
  });

  it('holds for webhookSecrets', () => {
    for (const { configured, secrets } of secretVectors())
      if (secrets === null) expect(() => webhookSecrets(configured), configured).to.throw(TypeError);
      else expect(webhookSecrets(configured)).to.deep.equal(secrets);
  });

  for (const [runtime, { verifyWebhook }] of [
    ['in Node', node],
    ['at the edge', edge],
  ] as const)
    it(`holds for verifyWebhook ${runtime}`, async () => {
      const found = await Promise.all(
        VECTORS.map(async (vector) => {
          const result = await verifyWebhook({
            rawBody: bodyOf(vector),
            headers: vector.headers,
            secrets: webhookSecrets(vector.secrets),
            now: new Date(vector.now * 1000),
            toleranceSeconds: vector.tolerance_seconds,
          });
          return [vector.name, result.ok ? 'accepted' : result.reason];
        }),
      );
      expect(found).to.deep.equal(VECTORS.map(({ name, expect }) => [name, expect]));
    });
});

function bodyOf({ body, body_base64: encoded = '' }: Vector): Buffer {
  return body === undefined ? Buffer.from(encoded, 'base64') : Buffer.from(body);
}
