import { readFileSync } from 'node:fs';
import type { EventType } from '../../domain/payments/lifecycle/states.ts';
import type { ApiErrorCode } from '../../domain/api/errors.ts';
import { ROOT } from '../../platform/root.ts';

/** A body as the service took it, returned it or sent it when `npm run examples:openapi` ran it. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Named = Readonly<Record<string, Example>>;

/** What was sent to an operation, and what came back, by status; a name stands in both. */
export interface OperationExamples {
  readonly request: Named;
  readonly responses: Readonly<Record<string, Named>>;
}

export interface Examples {
  readonly operations: Readonly<Record<string, OperationExamples>>;
  /** One of each error that operations share; a validation error belongs to its operation. */
  readonly errors: Readonly<Partial<Record<ApiErrorCode, Example>>>;
  readonly events: Readonly<Partial<Record<EventType, Example>>>;
}

const FILE = new URL('assets/openapi/examples.json', ROOT);
/** A test fails where the file is not what the service does. */
export const EXAMPLES = JSON.parse(readFileSync(FILE, 'utf8')) as Examples;

/** The examples of an operation's requests, or of its responses with a status; `{}`: there are none. */
export function examplesOf(operationId: string, part: 'request' | number): { examples?: Named } {
  const { request, responses } = EXAMPLES.operations[operationId] ?? { request: {}, responses: {} };
  const examples = part === 'request' ? request : responses[part];
  return examples === undefined || Object.keys(examples).length === 0 ? {} : { examples };
}

/** The examples of an operation's errors with a status: its own validation error, and what all share. */
export function errorExamplesOf(operationId: string, status: number, codes: readonly ApiErrorCode[]): object {
  const shared = codes.filter((code) => EXAMPLES.errors[code] !== undefined);
  const examples = {
    ...examplesOf(operationId, status).examples,
    ...Object.fromEntries(shared.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
  };
  return Object.keys(examples).length === 0 ? {} : { examples };
}
