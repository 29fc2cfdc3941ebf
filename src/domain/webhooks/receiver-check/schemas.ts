import { Type, type Static } from 'typebox';
import { nullable } from '../../../platform/schemas.ts';
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

/** What is told of every exchange with a receiver. */
const outcome = {
  status_code: nullable(Type.Integer(), 'What the receiver answered; null when it did not.'),
  error: nullable(Type.String(), 'Why the answer does not count as 2xx; null when it does.'),
  duration_ms: Type.Integer(),
};

export const TestEventBody = Type.Object(
  {
    type: Type.Optional(Type.Enum([...EVENT_TYPES], { description: 'Default: checkout.settled.' })),
    url,
  },
  { additionalProperties: false },
);
export type TestEventBody = Static<typeof TestEventBody>;

export const TestEventReport = Type.Object({
  event: Type.Object(
    { id: Type.String(), type: Type.Enum([...EVENT_TYPES]) },
    { additionalProperties: true, description: 'The body that was sent.' },
  ),
  url: Type.String(),
  delivered: Type.Boolean({ description: 'Answered 2xx.' }),
  ...outcome,
  response_excerpt: nullable(Type.String(), "The beginning of the answer's body."),
});
export type TestEventReport = Static<typeof TestEventReport>;

export const ReceiverCheckBody = Type.Object({ url }, { additionalProperties: false });
export type ReceiverCheckBody = Static<typeof ReceiverCheckBody>;

export const CaseReport = Type.Object({
  case: Type.Enum([...CASE_NAMES]),
  sent: Type.String({ description: 'What was done, in words.' }),
  expected: Type.Enum(['2xx', '4xx'], { description: 'What a correct receiver answers.' }),
  ...outcome,
  passed: Type.Boolean(),
  advice: nullable(Type.String(), 'What the answer says of the receiver; null when the case is passed.'),
});
export type CaseReport = Static<typeof CaseReport>;

export const ReceiverCheck = Type.Object({
  url: Type.String(),
  passed: Type.Boolean({ description: 'Every case was run, and passed.' }),
  summary: Type.String(),
  cases: Type.Array(CaseReport, {
    description: 'In the order in which they were run; fewer than all when the receiver cannot be reached.',
  }),
});
export type ReceiverCheck = Static<typeof ReceiverCheck>;
