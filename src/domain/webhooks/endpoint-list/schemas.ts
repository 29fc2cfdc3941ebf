import { Type, type Static } from 'typebox';
import { CursorPagination, cursor, nullable } from '../../../platform/schemas.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { EndpointHealth } from '../endpoints/schemas.ts';

/** It holds a URL. */
const MAX_CURSOR_LENGTH = 4_000;

export const ListEndpointsQuery = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
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
  url: nullable(Type.String(), 'The webhookUrl, or a callback_url up to its query.'),
  default: Type.Boolean({ description: 'Whether it is the webhookUrl.' }),
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
        description: 'A callback_url, with or without its query; default: the webhookUrl.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EnableEndpointBody = Static<typeof EnableEndpointBody>;
