import type { Example, Examples, OperationExamples } from '../../../src/http/openapi/examples.ts';
import type { EventType } from '../../../src/domain/payments/lifecycle/states.ts';
import { API_ERRORS, type ApiErrorCode } from '../../../src/domain/api/errors.ts';
import { ENDPOINTS } from '../endpoints.ts';
import type { Harness } from '../harness.ts';

interface Call {
  /** The id in the path. */
  readonly id?: string;
  /** The second one. */
  readonly part?: string;
  /** Begins with "?". */
  readonly query?: string;
  readonly body?: object | string;
  /** Default: the merchant's. */
  readonly apiKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file instead of JSON. */
  readonly image?: Buffer;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Recorded = { readonly [K in keyof OperationExamples]: Record<string, OperationExamples[K][string]> };

/** Records what operations take and return. */
export class Tape {
  readonly operations: Record<string, Recorded> = {};
  readonly errors: Mutable<Examples['errors']> = {};
  readonly events: Mutable<Examples['events']> = {};

  /** Calls an operation that succeeds; returns the body of its response. Throws for any other status. */
  async record<Body = unknown>(
    harness: Pick<Harness, 'api'>,
    operationId: string,
    name: string,
    summary: string,
    call: Call = {},
  ): Promise<Body> {
    const { status, body } = await this.#send(harness, operationId, call);
    const expected = endpointOf(operationId).response.status;
    if (status !== expected) throw new Error(`${operationId}: ${status} ${JSON.stringify(body)}`);
    const { request, responses } = this.#recorded(operationId);
    if (call.body !== undefined) request[name] = { summary, value: call.body };
    responses[status] = { ...responses[status], [name]: { summary, value: body } };
    return body as Body;
  }

  /** The same with a report that is too long to be shown once more: only the request is kept. */
  async recordRequest(...args: Parameters<Tape['record']>): Promise<void> {
    const [, operationId, name] = args;
    await this.record(...args);
    const { responses } = this.#recorded(operationId);
    for (const [status, { [name]: _, ...others }] of Object.entries(responses)) responses[status] = others;
  }

  /** Calls an operation that fails with `code`; a validation error is recorded with its operation. */
  async fail(
    harness: Pick<Harness, 'api'>,
    code: ApiErrorCode,
    operationId: string,
    call: Call = {},
  ): Promise<void> {
    const { status, body } = await this.#send(harness, operationId, call);
    const [expected] = API_ERRORS[code];
    if (status !== expected)
      throw new Error(`${operationId}: ${status}, not ${code}: ${JSON.stringify(body)}`);
    const { message } = body as { message: string };
    const example: Example = { summary: message, value: body };
    if (code === 'validation') this.#recorded(operationId).responses[status] = { validation: example };
    else this.errors[code] = example;
  }

  /** Keeps the first event of each type, of those that a receiver got. */
  keepEvent(rawBody: Buffer): void {
    const value = JSON.parse(rawBody.toString()) as { type: EventType };
    this.events[value.type] ??= { summary: 'As it was delivered.', value };
  }

  #recorded(operationId: string): Recorded {
    return (this.operations[operationId] ??= { request: {}, responses: {} });
  }

  async #send(
    harness: Pick<Harness, 'api'>,
    operationId: string,
    { id = '', part = '', query = '', body, apiKey, headers = {}, image }: Call,
  ): Promise<{ status: number; body: unknown }> {
    const { method, path } = endpointOf(operationId);
    const request = harness
      .api(method, path.replace(/:\w+/, id).replace(/:\w+/, part) + query, apiKey)
      .set(headers);
    if (image !== undefined) return request.set('Content-Type', 'image/png').send(image);
    return body === undefined ? request : request.send(body);
  }
}

function endpointOf(operationId: string) {
  const endpoint = ENDPOINTS.find((one) => one.operationId === operationId);
  if (endpoint === undefined) throw new Error(`there is no operation ${operationId}`);
  return endpoint;
}
