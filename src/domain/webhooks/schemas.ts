import { Type, type Static } from 'typebox';
import { MAX_URL_LENGTH } from '../../platform/urls.ts';

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
