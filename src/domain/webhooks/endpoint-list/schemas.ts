import { Type, type Static } from 'typebox';
import { CursorPagination, cursor, id, nullable, timestamp, PageLimit } from '../../api/schemas.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { EVENT_TYPES } from '../../payments/lifecycle/states.ts';
import { EndpointHealth } from '../endpoints/schemas.ts';
import { PAYLOADS } from '../endpoints/registration.ts';

/** It holds a URL. */
const MAX_CURSOR_LENGTH = 4_000;

export const ListEndpointsQuery = Type.Object(
  {
    limit: PageLimit,
    cursor: Type.Optional(cursor('next_cursor of the page before.', MAX_CURSOR_LENGTH)),
    state: Type.Optional(
      Type.Enum(['failing', 'switched_off'], {
        description: 'failing: the latest attempts failed, whether or not it is switched off.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ListEndpointsQuery = Static<typeof ListEndpointsQuery>;

export const WebhookEndpoint = Type.Object({
  id: nullable(Type.String(), 'Of a registered endpoint; null: the webhookUrl, or a callback_url.'),
  url: nullable(Type.String(), 'As registered; the webhookUrl; or a callback_url up to its query.'),
  default: Type.Boolean({ description: 'Whether it is the webhookUrl.' }),
  enabled: Type.Boolean({ description: 'Whether the merchant lets events be sent there.' }),
  event_types: nullable(Type.Array(Type.Enum([...EVENT_TYPES])), 'The types that it receives; null: all.'),
  description: nullable(Type.String(), 'A note for people.'),
  payload: Type.Enum([...PAYLOADS], { description: 'Whether it receives whole events, or links to them.' }),
  created_at: nullable(timestamp(), 'When it was registered; null: it was not.'),
  health: EndpointHealth,
});
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

export const WebhookEndpointList = Type.Object({
  data: Type.Array(WebhookEndpoint),
  pagination: CursorPagination,
});
export type WebhookEndpointList = Static<typeof WebhookEndpointList>;

export const EnableEndpointBody = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        format: 'delivery-url',
        maxLength: MAX_URL_LENGTH,
        description: 'A callback_url, with or without its query; without it and id: the webhookUrl.',
      }),
    ),
    id: Type.Optional(id('whe', 'A registered endpoint.')),
  },
  { additionalProperties: false },
);
export type EnableEndpointBody = Static<typeof EnableEndpointBody>;
