import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { EXCEPTIONS, STATUSES, TRANSITIONS } from '../../../src/domain/payments/lifecycle/states.ts';
import { createEndpoints } from '../../../src/http/routes.ts';
import { API_ERRORS } from '../../../src/domain/api/errors.ts';
import { VERSION } from '../../../src/platform/root.ts';
import { CONTRACT_ENDPOINTS, tableOf } from '../../support/documents.ts';
import { createPayment } from '../../support/http.ts';
import { startReceiver } from '../../support/receivers.ts';
import { createHarness, type Harness } from '../../support/harness.ts';

interface Operation {
  readonly operationId: string;
  readonly tags: string[];
  readonly summary: string;
  readonly description: string;
  readonly 'x-permissions': string[];
  readonly 'x-rate-limit': object;
  readonly security: object[];
  readonly parameters: (Parameter | { $ref: string })[];
  readonly requestBody?: { required: boolean; content: Content };
  readonly responses: Record<
    string,
    { description: string; headers: object; content: Content; 'x-error-codes'?: string[] }
  >;
}
type Content = Record<string, { schema: Record<string, unknown> }>;
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: object;
}

interface Document {
  readonly openapi: string;
  readonly info: Record<string, unknown>;
  readonly servers: { url: string }[];
  readonly tags: { name: string; description: string }[];
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, { post: Operation }>;
  readonly components: {
    securitySchemes: object;
    parameters: Record<string, Parameter>;
    headers: Record<string, object>;
    schemas: Record<string, Record<string, unknown>>;
  };
}

const WITHOUT_KEY = ['/v1/status', '/v1/webhooks/jwks/{merchant_id}'];

describe('GET /v1/openapi.json', () => {
  let harness: Harness;
  let document: Document;
  let operations: { method: string; path: string; operation: Operation }[];
  before(async () => {
    harness = await createHarness({ PUBLIC_URL: 'https://pay.example' });
    const answer = await harness
      .api('get', '/v1/openapi.json', null)
      .expect(200)
      .expect('Content-Type', /json/);
    document = answer.body as Document;
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
    );
  });
  after(() => harness.close());

  const operationOf = (method: string, path: string): Operation =>
    document.paths[path]?.[method] ?? expect.fail(`no ${method} ${path}`);

  /** What a reference leads to, or the value itself. */
  const resolve = <Value extends object>(value: Value | { $ref: string }): Value => {
    if (!('$ref' in value)) return value;
    const steps = value.$ref.split('/').slice(1);
    const found = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
    return (found as Value | undefined) ?? expect.fail(`${value.$ref} leads nowhere`);
  };
  const parametersOf = (operation: Operation) => operation.parameters.map((one) => resolve<Parameter>(one));

  it('has each endpoint of the specification and the contract, and no other', () => {
    expect(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)).to.have.members(
      CONTRACT_ENDPOINTS.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`),
    );
    expect(operations).to.have.length(createEndpoints(harness).length);
  });

  it('is compressed for those who accept it, and the same document for others', async () => {
    const get = (encoding: string) =>
      harness.api('get', '/v1/openapi.json', null).set('Accept-Encoding', encoding).expect(200);
    const [compressed, plain] = [await get('gzip'), await get('identity')];
    expect(compressed.headers['content-encoding']).to.equal('gzip');
    expect(plain.headers).to.not.have.property('content-encoding');
    for (const { headers, body } of [compressed, plain]) {
      expect(headers.vary).to.include('Accept-Encoding');
      expect(body).to.deep.equal(document);
    }
    const size = (answer: typeof plain) => Number(answer.headers['content-length']);
    expect(size(compressed)).to.be.below(size(plain) / 5);
  });

  it('is limited to 60 requests a minute and address', async () => {
    const strict = await createHarness({ RATE_LIMIT_SCALE: '1' });
    for (let n = 0; n < 60; n += 1) await strict.api('get', '/v1/openapi.json', null).expect(200);
    const refused = await strict.api('get', '/v1/openapi.json', null).expect(429);
    expect(refused.body).to.include({ statusCode: 429, path: '/v1/openapi.json' });
    expect(refused.headers).to.include.keys('retry-after', 'x-ratelimit-limit', 'x-request-id');
    await strict.close();
  });

  it('has the shape of OpenAPI 3.1', () => {
    expect(Object.keys(document)).to.have.members([
      'openapi',
      'info',
      'servers',
      'tags',
      'paths',
      'webhooks',
      'components',
    ]);
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
    expect(document.info).to.include({ title: 'Payment checkout', version: VERSION });
    expect(document.info).to.include.keys('description', 'contact', 'license');
    expect(document.servers).to.deep.equal([{ url: 'https://pay.example' }]);
    expect(document.components.securitySchemes)
      .to.have.property('apiKey')
      .that.includes({ type: 'apiKey', in: 'header', name: 'X-API-Key' });
    expect(new Set(operations.map(({ operation }) => operation.operationId))).to.have.property(
      'size',
      operations.length,
    );
    for (const { path, operation } of operations) {
      expect(operation.operationId).to.match(/^[a-z][A-Za-z]+$/);
      expect(operation.summary).to.match(/\.$/);
      const names = parametersOf(operation)
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => name);
      expect(names, path).to.deep.equal([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      for (const parameter of parametersOf(operation)) {
        expect(parameter.in).to.be.oneOf(['path', 'query', 'header']);
        if (parameter.in === 'path') expect(parameter.required).to.equal(true);
        expect(parameter.schema).to.be.an('object');
      }
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        expect(status).to.match(/^[2-5]\d\d$/);
        expect(description).to.match(/\S/);
        expect(Object.keys(content)).to.deep.equal(['application/json']);
      }
    }
  });

  it('has schemas that are JSON Schema 2020-12, and references that lead somewhere', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const schemas = operations.flatMap(({ operation }) => [
      ...parametersOf(operation).map(({ schema }) => schema),
      ...Object.values(operation.requestBody?.content ?? {}).map(({ schema }) => schema),
      ...Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content).map(({ schema }) => schema),
      ),
    ]);
    expect(schemas.length).to.be.greaterThan(100);
    for (const schema of [...schemas, ...Object.values(document.components.schemas)])
      expect(ajv.validateSchema(schema), JSON.stringify(schema)).to.equal(true);
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)];
    expect(references.length).to.be.greaterThan(500);
    for (const [, $ref] of references) expect(resolve({ $ref: String($ref) })).to.be.an('object');
  });

  it('has only formats and patterns that clients in other languages know', () => {
    const text = JSON.stringify(document);
    const formats = [...text.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format);
    expect([...new Set(formats)]).to.have.members(['date', 'date-time', 'idn-email', 'iri']);
    expect(text).to.not.include(String.raw`\\p{`);
  });

  it('states which endpoints need a key and which headers a request must have', () => {
    for (const { path, operation } of operations)
      expect(operation.security, path).to.deep.equal(
        WITHOUT_KEY.includes(path) ? [{}, { apiKey: [] }] : [{ apiKey: [] }],
      );
    expect(operationOf('post', '/v1/payment').requestBody?.required).to.equal(true);
    expect(operationOf('post', '/v1/payment/{id}/refund').requestBody?.required).to.equal(false);
    for (const { method, operation } of operations)
      expect(parametersOf(operation).some(({ name }) => name === 'Idempotency-Key')).to.equal(
        method === 'post',
      );
  });

  it('names the parameters of the list and the fields of a payment', () => {
    const query = parametersOf(operationOf('get', '/v1/payments')).filter(
      (parameter) => parameter.in === 'query',
    );
    expect(query.map(({ name }) => name)).to.have.members([
      'page',
      'limit',
      'cursor',
      'status',
      'order_id',
      'from_date',
      'to_date',
    ]);
    const { content } = operationOf('post', '/v1/payment').requestBody ?? expect.fail();
    const body = resolve(content['application/json']?.schema ?? expect.fail());
    expect(Object.keys(body.properties ?? {})).to.have.members([
      'pay_amount',
      'price_amount',
      'price_currency',
      'order_id',
      'order_description',
      'callback_url',
      'success_url',
      'cancel_url',
      'expiration_minutes',
      'customer_email',
      'metadata',
      'policy',
    ]);
    // An amount, or a price.
    expect(body.required).to.have.members(['order_id']);
  });

  it('names for each operation the errors that it can answer, by status and code', () => {
    const codesOf = (method: string, path: string) =>
      Object.fromEntries(
        Object.entries(operationOf(method, path).responses).map(([status, response]) => [
          status,
          response['x-error-codes'],
        ]),
      );
    expect(codesOf('get', '/v1/status')).to.deep.equal({
      200: undefined,
      400: ['validation'],
      429: ['rate_limited'],
      500: ['internal'],
      503: ['unavailable'],
    });
    expect(codesOf('post', '/v1/payment/{id}/refund')).to.deep.equal({
      201: undefined,
      400: ['validation'],
      401: ['unauthorized'],
      403: ['forbidden'],
      404: ['payment_not_found'],
      409: ['refund_not_allowed', 'idempotency_conflict'],
      413: ['body_too_large'],
      415: ['unsupported_media_type'],
      429: ['rate_limited'],
      500: ['internal'],
      503: ['rate_unavailable', 'unavailable', 'maintenance'],
    });
    const named = operations.flatMap(({ operation }) =>
      Object.values(operation.responses).flatMap((response) => response['x-error-codes'] ?? []),
    );
    // These belong to no operation: no path fits, none of its methods, or it is no request of HTTP.
    const others = ['route_not_found', 'method_not_allowed', 'malformed_request', 'request_timeout'];
    others.push('expectation_failed', 'header_too_large');
    expect([...new Set(named), ...others]).to.have.members(Object.keys(API_ERRORS));
    for (const code of others) expect(document.info.description).to.include(code);
  });

  it('describes each operation: text, permissions, limit, group, and headers both ways', () => {
    const groups = document.tags.map(({ name }) => name);
    for (const { method, path, operation } of operations) {
      const { permissions, perMinute } =
        CONTRACT_ENDPOINTS.find(
          (one) => one.path.replaceAll(/:(\w+)/g, '{$1}') === path && one.method === method.toUpperCase(),
        ) ?? expect.fail(path);
      expect(operation['x-permissions']).to.have.members(permissions);
      expect(operation['x-rate-limit']).to.deep.equal({ requests: perMinute, seconds: 60, per: 'merchant' });
      for (const text of [...permissions, `${perMinute} requests a minute`])
        expect(operation.description, path).to.include(text);
      expect(operation.summary, path).to.match(/^[A-Z].{10,}\.$/);
      expect(operation.description.split('\n\n')[0], path).to.match(/^[A-Z`].{40,}\.$/s);
      expect(groups).to.include.members(operation.tags);
      const parameters = parametersOf(operation);
      expect(parameters.map(({ name }) => name)).to.include('X-Request-Id');
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        expect(headers).to.include.keys('X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Reset');
        expect('Retry-After' in headers).to.equal(status === '429' || status === '503');
        expect('Idempotent-Replayed' in headers).to.equal(method === 'post' && Number(status) < 300);
      }
    }
  });

  it('gives every body and every response a name', () => {
    for (const { path, operation } of operations) {
      const contents = [operation.requestBody?.content, operation.responses['200']?.content];
      for (const schema of contents.flatMap((content) => content?.['application/json']?.schema ?? []))
        expect(schema, path).to.have.all.keys('$ref');
    }
  });

  it('describes every route under /v1 that the application has, but its own', () => {
    const described = operations.map(
      ({ method, path }) => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    );
    const answering = harness.app.router.stack.flatMap(({ route }) => {
      const methods = [...new Set(route?.stack.map(({ method }) => method))];
      // What takes every method refuses those that no route before it took.
      const [method] = methods.length === 1 ? methods : [];
      return route?.path.startsWith('/v1') === true && method !== undefined
        ? [`${method} ${route.path}`]
        : [];
    });
    expect(answering).to.have.members([...described, 'get /v1/openapi.json']);
  });

  it('is where the old path sends its clients, for good', async () => {
    const old = await harness.api('get', '/openapi.json', null).expect(301);
    expect(old.headers.location).to.equal('/v1/openapi.json');
    const followed = await harness.api('get', '/openapi.json', null).redirects(1).expect(200);
    expect(followed.body).to.deep.equal(document);
  });

  it('refuses other methods than GET and HEAD', async () => {
    await harness.api('head', '/v1/openapi.json', null).expect(200);
    const refused = await harness.api('post', '/v1/openapi.json', null).expect(405);
    expect(refused.headers.allow).to.equal('GET, HEAD');
  });

  it('describes what is answered: real answers pass its schemas', async () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'openapi.json');
    const check = (method: string, path: string, status: number, body: unknown) => {
      const pointer = [
        'paths',
        path,
        method,
        'responses',
        String(status),
        'content',
        'application/json',
        'schema',
      ];
      const escaped = pointer.map((part) =>
        encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')),
      );
      const validate = ajv.getSchema(`openapi.json#/${escaped.join('/')}`) ?? expect.fail(path);
      expect(validate(body), JSON.stringify([validate.errors, body])).to.equal(true);
    };
    const payment = await createPayment(harness, { metadata: { a: '1' } });
    check('post', '/v1/payment', 201, payment);
    for (const [path, real] of [
      ['/v1/status', '/v1/status'],
      ['/v1/payment/{id}', `/v1/payment/${payment.id}`],
      ['/v1/payments', '/v1/payments'],
      ['/v1/webhooks/config', '/v1/webhooks/config'],
      ['/v1/webhooks/secrets', '/v1/webhooks/secrets'],
      ['/v1/events', '/v1/events'],
      ['/v1/payment/{id}/events', `/v1/payment/${payment.id}/events`],
    ] as const)
      check('get', path, 200, (await harness.api('get', real).expect(200)).body);
    const rotated = await harness.api('post', '/v1/webhooks/secrets/rotate').expect(200);
    check('post', '/v1/webhooks/secrets/rotate', 200, rotated.body);
    const receiver = await startReceiver();
    for (const path of ['/v1/webhooks/test', '/v1/webhooks/examine'])
      check(
        'post',
        path,
        200,
        (await harness.api('post', path).send({ url: receiver.url }).expect(200)).body,
      );
    await receiver.close();
    for (const path of ['/v1/webhooks/test', '/v1/webhooks/examine'])
      check(
        'post',
        path,
        200,
        (await harness.api('post', path).send({ url: receiver.url }).expect(200)).body,
      );
    const invalid = await harness.api('post', '/v1/payment').send({}).expect(400);
    check('post', '/v1/payment', 400, invalid.body);
    check('get', '/v1/payments', 401, (await harness.api('get', '/v1/payments', null).expect(401)).body);
  });

  describe('law 3: one table says how a payment moves', () => {
    /** Words in the quotes of a CHECK constraint of the table of payments that mentions `column`. */
    const allowedBy = async (column: string): Promise<string[]> => {
      const { rows } = (await harness.ctx.db.raw(
        `SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE conrelid = 'payments'::regclass AND contype = 'c'`,
      )) as { rows: { text: string }[] };
      const constraint = rows.find(({ text }) => new RegExp(`^CHECK \\(+${column} (= ANY|<@)`).test(text));
      return [...(constraint?.text ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => String(word));
    };
    const propertyOf = (name: string): Record<string, unknown> | undefined => {
      const { properties = {} } = document.components.schemas.Payment ?? expect.fail();
      return (properties as Record<string, Record<string, unknown>>)[name];
    };

    it('the statuses of the contract are those of STATUSES', () => {
      expect(STATUSES).to.deep.equal(tableOf('docs/contract.md', 'status').map(([name]) => name));
    });
    it('the enum of the document is STATUSES, in answers and in the filter', () => {
      expect(propertyOf('status')?.enum).to.deep.equal([...STATUSES]);
      const filter = parametersOf(operationOf('get', '/v1/payments')).find(({ name }) => name === 'status');
      expect(filter?.schema)
        .to.have.nested.property('items.enum')
        .that.deep.equals([...STATUSES]);
    });
    it('the CHECK constraint of the database is STATUSES', async () => {
      expect(await allowedBy('status')).to.deep.equal([...STATUSES]);
    });
    it('every status is reached by TRANSITIONS, and no other is', () => {
      const reached = new Set(Object.values(TRANSITIONS).map(({ to }) => to));
      // Null: funds_received leaves the status unchanged.
      expect(reached).to.deep.equal(new Set([...STATUSES, null]));
      for (const { from } of Object.values(TRANSITIONS)) expect(STATUSES).to.include.members([...from]);
    });
    it('the exceptions of the document and of the database are EXCEPTIONS', async () => {
      expect(await allowedBy('exceptions')).to.deep.equal([...EXCEPTIONS]);
      expect(propertyOf('exceptions'))
        .to.have.nested.property('items.enum')
        .that.deep.equals([...EXCEPTIONS]);
    });
  });
});
