import { Type, type Static } from 'typebox';
import { FITTING_METHOD } from '../../chain/fitting-method.ts';
import { AMOUNT_OR_PART, AMOUNT_OR_PRICE } from '../../payments/pricing/price.ts';
import { RefundBody } from '../../payments/refunds/schemas.ts';
import { CreatePaymentBody, PaymentResource } from '../../payments/schemas.ts';
import { ReplaceTransferBody, SendTransferBody } from '../customer/schemas.ts';
import { DeliveryAttempt } from '../test-clock/schemas.ts';
import { nullable, timestamp } from '../../api/schemas.ts';
import { DURATION_PATTERN } from '../../api/patterns.ts';
import { LIBRARY_NAMES } from './library-names.ts';

/** Each step is up to 150 statements, one after the other. */
export const MAX_STEPS = 100;

const Seed = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Decides everything that is left to chance.',
});

const ReceiverResponse = Type.Union(
  [Type.Integer({ minimum: 200, maximum: 599 }), Type.Enum(['timeout', 'twice', 'out_of_order'])],
  {
    description: 'How the receiver answers from now on; twice and out_of_order: the next event only.',
  },
);

const at = Type.String({ pattern: DURATION_PATTERN, description: 'Time since the beginning: "2m".' });
const strict = { additionalProperties: false };

/** One step of a script; `do` says which. */
const steps = [
  Type.Object(
    { at, do: Type.Literal('transfer'), ...SendTransferBody.properties },
    { ...strict, ...FITTING_METHOD },
  ),
  Type.Object({ at, do: Type.Literal('replace'), ...ReplaceTransferBody.properties }, strict),
  Type.Object(
    {
      at,
      do: Type.Literal('reorg'),
      depth: Type.Integer({ minimum: 1, maximum: 1000, description: 'How many blocks are exchanged.' }),
    },
    strict,
  ),
  Type.Object(
    {
      at,
      do: Type.Literal('mine'),
      blocks: Type.Integer({ minimum: 1, maximum: 100_000, description: 'How many blocks are mined.' }),
    },
    strict,
  ),
  Type.Object({ at, do: Type.Literal('fail_conversion') }, strict),
  Type.Object({ at, do: Type.Literal('refund'), ...RefundBody.properties }, { ...strict, ...AMOUNT_OR_PART }),
  Type.Object({ at, do: Type.Literal('webhook'), answer: ReceiverResponse }, strict),
  Type.Object({ at, do: Type.Literal('seed'), seed: Seed }, strict),
] as const;
export type Step = Static<(typeof steps)[number]>;

/** `do` selects the shape of a step, so that a validation error names a field of that shape. */
const Step = Type.Unsafe<Step>({ type: 'object', discriminator: { propertyName: 'do' }, oneOf: steps });

const ScenarioPayment = Type.Object(
  { ...CreatePaymentBody.properties, order_id: Type.Optional(CreatePaymentBody.properties.order_id) },
  { additionalProperties: false, ...AMOUNT_OR_PRICE },
);

/** A story of the library, or a payment and its script: one of the two, and not both. */
const STORY_OR_SCRIPT = {
  if: { properties: { story: {} }, required: ['story'] },
  then: { properties: { payment: { not: {} }, script: { not: {} } } },
  else: { properties: { payment: {}, script: {} }, required: ['payment', 'script'] },
};

/** A payment to create, and what happens to it. */
export interface Script {
  readonly payment: Static<typeof ScenarioPayment>;
  readonly script: readonly Step[];
}

export const ScenarioBody = Type.Object(
  {
    story: Type.Optional(
      Type.Enum([...LIBRARY_NAMES], {
        description: 'A story of the library, instead of payment and script.',
      }),
    ),
    payment: Type.Optional(ScenarioPayment),
    script: Type.Optional(
      Type.Array(Step, { maxItems: MAX_STEPS, description: 'What happens to the payment, in time.' }),
    ),
    seed: Type.Optional(Seed),
    ids: Type.Optional(
      Type.Enum(['random', 'stable'], { description: 'stable: ids that follow from the seed.' }),
    ),
  },
  { additionalProperties: false, ...STORY_OR_SCRIPT },
);
export type ScenarioBody = Static<typeof ScenarioBody>;

export const Scenario = Type.Object({
  payment: PaymentResource,
  transitions: Type.Array(
    Type.Object({
      at: timestamp('When it happened.'),
      sequence: Type.Integer({ description: 'The number of its event.' }),
      from: nullable(Type.String(), 'The status before; null: the payment was created.'),
      to: Type.String({ description: 'The status after it.' }),
      event: Type.String({ description: 'The type of its event.' }),
    }),
    { description: 'How the payment moved, in order.' },
  ),
  events: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'The events, as the webhooks say them.',
  }),
  deliveries: Type.Array(DeliveryAttempt, { description: 'Every attempt to deliver one.' }),
  received: Type.Array(
    Type.Object({
      at: timestamp('When it arrived.'),
      event_id: Type.String({ description: 'The event.' }),
      type: Type.String({ description: 'Its type.' }),
      sequence: Type.Integer({ description: "The event's number of its payment." }),
      answered: Type.Union([Type.Integer(), Type.Literal('timeout')], {
        description: 'The status of the response.',
      }),
    }),
    { description: "What the script's receiver got." },
  ),
});
