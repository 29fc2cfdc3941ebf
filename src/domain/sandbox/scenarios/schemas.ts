import { Type, type Static } from 'typebox';
import { AMOUNT_PATTERN } from '../../../platform/validator.ts';
import { COIN_IDS } from '../../chain/coins.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import { CreatePaymentBody, PaymentResource, RefundBody } from '../../payments/schemas.ts';
import { STORY_NAMES } from './library-names.ts';
import { DURATION_PATTERN } from '../test-clock/duration.ts';

export const SendTransferBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'In units of the coin; default: what is still missing.',
      }),
    ),
    coin: Type.Optional(Type.Enum([...COIN_IDS], { description: "Default: the payment's coin." })),
    network: Type.Optional(Type.Enum([...NETWORK_IDS], { description: "Default: the payment's network." })),
  },
  { additionalProperties: false },
);
export type SendTransferBody = Static<typeof SendTransferBody>;

export const TransferResource = Type.Object({
  payment_id: Type.String(),
  tx_hash: Type.String(),
  coin: Type.String(),
  network: Type.String(),
  address: Type.String(),
  amount: Type.String(),
  sent_at: Type.String({ format: 'date-time' }),
});
export type TransferResource = Static<typeof TransferResource>;

export const ReplaceTransferBody = Type.Object(
  {
    transfer: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Which one: 1 is the first that was sent; default: the latest that stands.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ReplaceTransferBody = Static<typeof ReplaceTransferBody>;

export const ReplacedTransfer = Type.Object({
  payment_id: Type.String(),
  tx_hash: Type.String({ description: 'Of the transfer that will never arrive.' }),
  coin: Type.String(),
  network: Type.String(),
  amount: Type.String(),
  replaced_by: Type.String({ description: 'The transaction that spends the money elsewhere.' }),
  replaced_at: Type.String({ format: 'date-time' }),
});
export type ReplacedTransfer = Static<typeof ReplacedTransfer>;

export const AdvanceBody = Type.Object(
  { by: Type.String({ pattern: DURATION_PATTERN, description: 'A number and s, m, h or d: "61m".' }) },
  { additionalProperties: false },
);
export type AdvanceBody = Static<typeof AdvanceBody>;

const Delivery = Type.Object({
  at: Type.String({ format: 'date-time' }),
  event_id: Type.String(),
  type: Type.String(),
  sequence: Type.Integer(),
  attempt: Type.Integer(),
  status_code: Type.Union([Type.Integer(), Type.Null()]),
  error: Type.Union([Type.String(), Type.Null()]),
  next_attempt_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});

export const Advanced = Type.Object({
  now: Type.String({ format: 'date-time', description: "The payment's time." }),
  payment: PaymentResource,
  events: Type.Array(Type.Object({}, { additionalProperties: true }), {
    description: 'What happened on the way, as the webhooks say it.',
  }),
  deliveries: Type.Array(Delivery),
});

const Seed = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Decides everything that is left to chance.',
});

const Answer = Type.Union(
  [Type.Integer({ minimum: 200, maximum: 599 }), Type.Enum(['timeout', 'twice', 'out_of_order'])],
  {
    description: 'How the receiver answers from now on; twice and out_of_order: the next event only.',
  },
);

const at = Type.String({ pattern: DURATION_PATTERN, description: 'Time since the beginning: "2m".' });
const strict = { additionalProperties: false };

/** One step of a script; `do` says which. */
const steps = [
  Type.Object({ at, do: Type.Literal('transfer'), ...SendTransferBody.properties }, strict),
  Type.Object({ at, do: Type.Literal('replace'), ...ReplaceTransferBody.properties }, strict),
  Type.Object({ at, do: Type.Literal('reorg'), depth: Type.Integer({ minimum: 1, maximum: 1000 }) }, strict),
  Type.Object(
    { at, do: Type.Literal('mine'), blocks: Type.Integer({ minimum: 1, maximum: 100_000 }) },
    strict,
  ),
  Type.Object({ at, do: Type.Literal('fail_conversion') }, strict),
  Type.Object({ at, do: Type.Literal('refund'), ...RefundBody.properties }, strict),
  Type.Object({ at, do: Type.Literal('webhook'), answer: Answer }, strict),
  Type.Object({ at, do: Type.Literal('seed'), seed: Seed }, strict),
] as const;
export type Step = Static<(typeof steps)[number]>;

/** `do` decides which of the shapes a step must have, so that a fault is named in the shape that was meant. */
const Step = Type.Unsafe<Step>({ type: 'object', discriminator: { propertyName: 'do' }, oneOf: steps });

const ScenarioPayment = Type.Object(
  { ...CreatePaymentBody.properties, order_id: Type.Optional(CreatePaymentBody.properties.order_id) },
  { additionalProperties: false },
);

/** A payment to create, and what happens to it. */
export interface Script {
  readonly payment: Static<typeof ScenarioPayment>;
  readonly script: readonly Step[];
}

export const ScenarioBody = Type.Object(
  {
    story: Type.Optional(
      Type.Enum([...STORY_NAMES], { description: 'A story of the library, instead of payment and script.' }),
    ),
    payment: Type.Optional(ScenarioPayment),
    script: Type.Optional(Type.Array(Step, { maxItems: 200 })),
    seed: Type.Optional(Seed),
    ids: Type.Optional(
      Type.Enum(['random', 'stable'], { description: 'stable: ids that follow from the seed.' }),
    ),
  },
  { additionalProperties: false },
);
export type ScenarioBody = Static<typeof ScenarioBody>;

export const Scenario = Type.Object({
  payment: PaymentResource,
  transitions: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      sequence: Type.Integer(),
      from: Type.Union([Type.String(), Type.Null()]),
      to: Type.String(),
      event: Type.String(),
    }),
  ),
  events: Type.Array(Type.Object({}, { additionalProperties: true })),
  deliveries: Type.Array(Delivery),
  received: Type.Array(
    Type.Object({
      at: Type.String({ format: 'date-time' }),
      event_id: Type.String(),
      type: Type.String(),
      sequence: Type.Integer(),
      answered: Type.Union([Type.Integer(), Type.Literal('timeout')]),
    }),
  ),
});
