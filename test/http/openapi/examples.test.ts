import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { EVENT_TYPES } from '../../../src/domain/payments/lifecycle/states.ts';
import { openApiDocument } from '../../../src/http/openapi/document.ts';
import { EXAMPLES, type Examples } from '../../../src/http/openapi/examples.ts';
import { API_ERRORS } from '../../../src/domain/api/errors.ts';
import { addDocumentFormats } from '../../support/documented.ts';
import { ENDPOINTS } from '../../support/endpoints.ts';
import { produceExamples } from '../../support/openapi-examples/produce.ts';

interface Content {
  readonly schema: object;
  readonly examples?: Record<string, { value?: unknown; $ref?: string }>;
}
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, Content> };
  readonly responses: Record<string, { readonly content?: Record<string, Content> }>;
}
interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: { readonly examples: Record<string, { readonly value: unknown }> };
}

/** Those that belong to no operation. */
const OF_NO_OPERATION = [
  'route_not_found',
  'method_not_allowed',
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'header_too_large',
];

describe('the examples of the OpenAPI document', () => {
  const document = openApiDocument(ENDPOINTS, 'https://pay.example') as Document;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

  it('are what the service takes, returns and sends: `npm run examples:openapi` writes them', async () => {
    const produced: Examples = await produceExamples();
    for (const part of ['errors', 'events', 'operations'] as const)
      for (const name of Object.keys({ ...produced[part], ...EXAMPLES[part] }))
        expect(
          Object.entries(EXAMPLES[part]).find(([key]) => key === name)?.[1],
          `${part} ${name}`,
        ).to.deep.equal(Object.entries(produced[part]).find(([key]) => key === name)?.[1]);
  });

  it('are there for every body of a request, for every success, and for a refusal of every operation', () => {
    for (const { operationId, requestBody, responses } of operations) {
      const json = requestBody?.content['application/json'];
      if (json !== undefined && operationId !== 'enableWebhookEndpoint')
        expect(json.examples, operationId).to.be.an('object');
      for (const [status, { content }] of Object.entries(responses))
        if (status.startsWith('2'))
          expect(content?.['application/json']?.examples, operationId).to.be.an('object');
    }
  });

  it('are there for every error that an operation can have, and for every type of event', () => {
    expect([...Object.keys(EXAMPLES.errors), 'validation', ...OF_NO_OPERATION]).to.have.members(
      Object.keys(API_ERRORS),
    );
    expect(Object.keys(document.webhooks)).to.deep.equal([...EVENT_TYPES]);
    for (const { post } of Object.values(document.webhooks))
      expect(post?.requestBody?.content['application/json']?.examples).to.have.all.keys('delivered');
  });

  it('are valid by the schemas that they stand beside', () => {
    const ajv = new Ajv2020({ strict: false });
    addDocumentFormats(ajv);
    ajv.addSchema(document, 'openapi.json');
    let checked = 0;
    const check = (pointer: readonly string[], { examples = {} }: Content) => {
      const path = pointer.map((step) =>
        encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')),
      );
      const validate = ajv.getSchema(`openapi.json#/${path.join('/')}/schema`) ?? expect.fail(path.join('/'));
      for (const [name, example] of Object.entries(examples)) {
        const value = 'value' in example ? example.value : document.components.examples[name]?.value;
        expect(validate(value), `${path.join('/')} ${name}: ${ajv.errorsText(validate.errors)}`).to.equal(
          true,
        );
        checked += 1;
      }
    };
    for (const part of ['paths', 'webhooks'] as const)
      for (const [path, methods] of Object.entries(document[part]))
        for (const [method, { requestBody, responses }] of Object.entries(methods)) {
          for (const [type, content] of Object.entries(requestBody?.content ?? {}))
            check([part, path, method, 'requestBody', 'content', type], content);
          for (const [status, { content = {} }] of Object.entries(responses))
            for (const [type, one] of Object.entries(content))
              check([part, path, method, 'responses', status, 'content', type], one);
        }
    expect(checked).to.be.greaterThan(200);
  });

  it('hold no address and no secret of the machine that wrote them', () => {
    const text = JSON.stringify(EXAMPLES);
    expect(text).to.not.match(/127\.0\.0\.1|localhost|sk_(test|live)_/);
  });
});
