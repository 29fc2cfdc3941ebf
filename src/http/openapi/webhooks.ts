import { EventResource } from '../../domain/events/schemas.ts';
import {
  EVENT_TYPES,
  STATUSES,
  TRANSITIONS,
  type EventType,
} from '../../domain/payments/lifecycle/states.ts';
import type { Components } from './components.ts';
import { EXAMPLES } from './examples.ts';

/** When an event of each type is sent (specification, "Event types"; contract, "Events"). */
const SUMMARIES = {
  'checkout.created': 'A payment was created.',
  'checkout.pending': 'Money was seen on the chain; confirmations or more money are outstanding.',
  'checkout.processing': 'The payment is confirmed in full, and being converted.',
  'checkout.settled': 'The payment is settled: fulfil the order.',
  'checkout.failed': 'The payment expired or failed.',
  'checkout.refunded': 'A refund was sent, in part or in full.',
  'checkout.funds_received': 'Money came that changes no status; it can be refunded once it has confirmed.',
} as const satisfies Record<EventType, string>;

/** What the data of an event of a type must have, and the envelope may have. */
const REPORTED: Partial<Record<EventType, Readonly<Record<string, object>>>> = {
  'checkout.refunded': { refund: { type: 'object' } },
  'checkout.funds_received': { transfer: { type: 'object' } },
};

const DESCRIPTION = `Sent to the payment's \`callback_url\`, or else to the \`webhookUrl\`, while webhooks are
enabled, and to each registered endpoint that takes the type; one with \`payload: thin\` receives
\`{ "id", "type", "link" }\` in place of this body. Verify the signature over the raw body, answer 2xx, and do the work afterwards. The same event may come
twice, with the same \`id\` and the same body, and events may come in another order than that of \`sequence\`.

What is not acknowledged is tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 6 h, 12 h, 24 h and 24 h
(each +-20 %), each time with a new timestamp and signature.`;

const header = (name: string, description: string, schema: object, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string', ...schema },
});

/** Contract, "Events". */
const HEADERS = [
  header('webhook-id', "Standard Webhooks: the event's id, the same in each attempt.", {}),
  header('webhook-timestamp', 'Standard Webhooks: the Unix time of sending, in seconds.', {
    pattern: '^[0-9]+$',
  }),
  header(
    'webhook-signature',
    'Standard Webhooks: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the decoded ' +
      'bytes of the secret. While a rotation overlaps one for each secret, separated by spaces. With a key ' +
      'pair then `v1a,` and the base64 of an ed25519 signature over the same.',
    { pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*( v1a,[A-Za-z0-9+/]{86}==)*$' },
  ),
  header(
    'X-Webhook-Signature',
    'The hex of HMAC-SHA256 over `timestamp.body`, keyed with the whole text of the newest secret.',
    { pattern: '^[0-9a-f]{64}$' },
  ),
  header(
    'X-Webhook-Timestamp',
    'The Unix time of sending, in seconds: reject more than 300 s of difference.',
    {
      pattern: '^[0-9]+$',
    },
  ),
  header('User-Agent', 'The name and version of the service.', {}),
  header('X-Webhook-Test', 'Only on test events and receiver checks.', { enum: ['true'] }, false),
];

const RESPONSES = {
  '2XX': { description: 'Acknowledged: the event is not sent again.' },
  '410': {
    description: 'The endpoint is gone: it is switched off, and nothing is sent until it is enabled.',
  },
  default: {
    description:
      'Not acknowledged, redirects included, as is no response within 15 s: tried again. `Retry-After` is ' +
      'honoured within 1x to 4x of the delay.',
  },
};

/** The `webhooks` of the document: one for each type of event. */
export function webhooksOf(components: Components): Record<string, object> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: webhookOf(type, components) }]));
}

function webhookOf(type: EventType, components: Components): object {
  return {
    operationId: type.replaceAll(/[._]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tags: ['Webhooks'],
    summary: SUMMARIES[type],
    description: DESCRIPTION,
    security: [],
    parameters: HEADERS,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { allOf: [components.refer(EventResource), eventOf(type)] },
          ...examplesOfEvent(type),
        },
      },
    },
    responses: RESPONSES,
  };
}

function examplesOfEvent(type: EventType): object {
  const delivered = EXAMPLES.events[type];
  return delivered === undefined ? {} : { examples: { delivered } };
}

/** What holds for events of one type. */
function eventOf(type: EventType): object {
  const status = { enum: statusesOf(type) };
  const settledAt = type === 'checkout.settled' ? { settledAt: { type: 'string' } } : {};
  const checkout = { type: 'object', properties: { status, ...settledAt } };
  const reported = REPORTED[type] ?? {};
  return {
    type: 'object',
    properties: {
      type: { const: type },
      data: {
        type: 'object',
        required: Object.keys(reported),
        properties: { checkout, ...reported },
      },
    },
  };
}

/** The statuses that the transitions of an event type lead to; a transition that moves nothing fits all. */
function statusesOf(type: EventType): readonly string[] {
  const ends = Object.values(TRANSITIONS)
    .filter(({ event }) => event === type)
    .map(({ to }) => to);
  return ends.includes(null) ? STATUSES : STATUSES.filter((status) => ends.includes(status));
}
