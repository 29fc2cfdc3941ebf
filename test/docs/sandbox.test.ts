import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { LIBRARY_NAMES } from '../../src/domain/sandbox/scenarios/library-names.ts';
import { createPayment } from '../support/http.ts';
import { postScenario } from '../support/scenarios.ts';
import { createHarness, type Harness } from '../support/harness.ts';

const TEXT = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
const BLOCKS = [...TEXT.matchAll(/^```json (\w+)\n(.*?)^```$/gms)].map(([, kind = '', json = '']) => ({
  kind,
  body: JSON.parse(json) as object,
}));
/** The first cell of each row of the table below a heading or a sentence. */
const rows = (after: string) =>
  [...(TEXT.split(after)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([\w-]+)` +\|/gm)].map(
    ([, name]) => name,
  );

describe('docs/sandbox.md', () => {
  let harness: Harness;
  before(async () => {
    harness = await createHarness();
  });
  after(() => harness.close());

  BLOCKS.forEach(({ kind, body }, index) =>
    it(`its request ${index + 1} (${kind}) works as it stands`, async () => {
      if (kind === 'scenario') await postScenario(harness, body);
      else if (kind === 'steps')
        await postScenario(harness, { payment: { pay_amount: '10.00' }, script: body });
      else if (kind === 'payment') await harness.api('post', '/v1/payment').send(body).expect(201);
      else if (kind === 'advance') {
        const { id } = await createPayment(harness);
        const answer = await harness.api('post', `/v1/sandbox/payments/${id}/advance`).send(body).expect(200);
        expect(Object.keys(answer.body)).to.deep.equal(['now', 'payment', 'events', 'deliveries']);
      } else if (kind === 'rates') await harness.api('post', '/v1/sandbox/rates').send(body).expect(200);
      else throw new Error(`a block of an unknown kind: ${kind}`);
    }),
  );

  it('names every story, every step and every part of a policy, and no other', async () => {
    expect(BLOCKS.length).to.be.greaterThan(5);
    expect(rows('## The library')).to.deep.equal([...LIBRARY_NAMES]);
    const { body } = await harness.api('get', '/v1/openapi.json');
    const steps =
      JSON.stringify(body.components.schemas.ScenarioRequest).match(/"do":\{[^}]*"const":"(\w+)"/g) ?? [];
    const names = steps.map((text) => /"const":"(\w+)"/.exec(text)?.[1]);
    expect(rows('## Run a scenario')).to.have.members([...new Set(names)]);
    expect(rows('## Policies')).to.deep.equal(['underpaid', 'late', 'overpaid']);
  });
});
