import { Type, type Static } from 'typebox';
import { id, nullable } from '../../api/schemas.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { EVENT_TYPES } from '../../payments/lifecycle/states.ts';
import { CASE_NAMES } from './cases.ts';

const url = Type.Optional(
  Type.String({
    format: 'delivery-url',
    maxLength: MAX_URL_LENGTH,
    description: 'The receiver; default: the webhookUrl that is set, whether or not it is enabled.',
  }),
);

const endpointId = Type.Optional(
  id('whe', 'A registered endpoint: its URL, unless `url` names another one, and its secrets.'),
);

/** What is reported of every request to a receiver. */
const result = {
  status_code: nullable(Type.Integer(), 'The status of the response; null without one.'),
  error: nullable(Type.String(), 'Why the response is not a 2xx; null when it is.'),
  duration_ms: Type.Integer({ description: 'How long it took, in milliseconds.' }),
};

export const TestEventBody = Type.Object(
  {
    type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Default: checkout.settled.' })),
    url,
    endpoint_id: endpointId,
  },
  { additionalProperties: false },
);
export type TestEventBody = Static<typeof TestEventBody>;

export const TestEventReport = Type.Object({
  event: Type.Object(
    {
      id: Type.String({ description: 'Event identifier.' }),
      type: Type.Enum([...EVENT_TYPES], { description: 'The type that was asked for.' }),
    },
    { additionalProperties: true, description: 'The body that was sent.' },
  ),
  url: Type.String({ description: 'The receiver.' }),
  delivered: Type.Boolean({ description: 'Answered 2xx.' }),
  ...result,
  response_excerpt: nullable(Type.String(), 'The beginning of the response body.'),
});
export type TestEventReport = Static<typeof TestEventReport>;

export const ReceiverCheckBody = Type.Object(
  { url, endpoint_id: endpointId },
  { additionalProperties: false },
);
export type ReceiverCheckBody = Static<typeof ReceiverCheckBody>;

export const CaseReport = Type.Object({
  case: Type.Enum([...CASE_NAMES], { description: 'What was tried.' }),
  sent: Type.String({ description: 'What was sent, in words.' }),
  expected: Type.Enum(['2xx', '4xx'], { description: 'The status class of a correct receiver.' }),
  ...result,
  slow: Type.Boolean({ description: 'A response took 2 seconds or longer.' }),
  passed: Type.Boolean({ description: 'The status is of the expected class.' }),
  advice: nullable(
    Type.String(),
    'What the response shows about the receiver; null when the case is passed in time.',
  ),
});
export type CaseReport = Static<typeof CaseReport>;

export const ReceiverCheck = Type.Object({
  url: Type.String({ description: 'The receiver.' }),
  passed: Type.Boolean({ description: 'Every case was run, and passed.' }),
  slow: Type.Boolean({ description: 'Some response took 2 seconds or longer, which does not fail a case.' }),
  summary: Type.String({ description: 'The outcome in one sentence.' }),
  cases: Type.Array(CaseReport, {
    description: 'In the order in which they were run; fewer than all when the receiver cannot be reached.',
  }),
});
export type ReceiverCheck = Static<typeof ReceiverCheck>;
