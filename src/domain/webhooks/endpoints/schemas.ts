import { Type, type Static } from 'typebox';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';

export const WebhookConfigBody = Type.Object(
  {
    webhookUrl: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'delivery-url',
      maxLength: MAX_URL_LENGTH,
      description: 'URL that receives webhook events.',
    }),
    enabled: Type.Boolean({ description: 'Whether webhooks are sent.' }),
  },
  { additionalProperties: false },
);
export type WebhookConfigBody = Static<typeof WebhookConfigBody>;

export const WebhookConfig = Type.Object({
  webhookUrl: Type.Union([Type.String(), Type.Null()]),
  enabled: Type.Boolean(),
  updatedAt: Type.String({ format: 'date-time' }),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

export const EndpointHealth = Type.Object({
  state: Type.Enum(['unused', 'healthy', 'failing', 'paused', 'switched_off'], {
    description:
      'paused: it keeps failing, so that nothing but a probe is sent for the moment. switched_off: it answered 410, or did nothing but fail for five days; PUT switches it on again.',
  }),
  lastSuccessAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  lastFailureAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  failureRate: Type.Union([
    Type.Number({ description: 'Share of the attempts of the last 24 hours that failed, 0 to 1.' }),
    Type.Null(),
  ]),
  switchedOffAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  switchedOffBecause: Type.Union([Type.Enum(['gone', 'failing']), Type.Null()]),
});
export type EndpointHealth = Static<typeof EndpointHealth>;

export const WebhookConfigAndHealth = Type.Object({ ...WebhookConfig.properties, health: EndpointHealth });
export type WebhookConfigAndHealth = Static<typeof WebhookConfigAndHealth>;

export const WebhookSecrets = Type.Object({
  secret: Type.String({ description: 'The secret in force: it signs X-Webhook-Signature.' }),
  created_at: Type.String({ format: 'date-time' }),
  previous: Type.Array(
    Type.Object({ secret: Type.String(), expires_at: Type.String({ format: 'date-time' }) }),
    {
      description: 'Rotated secrets that still sign webhook-signature, until they expire.',
    },
  ),
});
export type WebhookSecrets = Static<typeof WebhookSecrets>;
