import { Type, type Static } from 'typebox';
import { timestamp } from '../../api/schemas.ts';

export const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;

export const RotateSecretBody = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_OVERLAP_HOURS,
        default: DEFAULT_OVERLAP_HOURS,
        description:
          'How long the secret that was in force still signs webhook-signature; 0: it and all older ones ' +
          'end at once.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type RotateSecretBody = Static<typeof RotateSecretBody>;

export const WebhookSecrets = Type.Object({
  secret: Type.String({ description: 'The secret in force: it signs X-Webhook-Signature.' }),
  created_at: timestamp('Since when it is in force.'),
  previous: Type.Array(
    Type.Object({
      secret: Type.String({ description: 'An older secret.' }),
      expires_at: timestamp('Until when it signs.'),
    }),
    {
      description: 'Rotated secrets that still sign webhook-signature, until they expire.',
    },
  ),
});
export type WebhookSecrets = Static<typeof WebhookSecrets>;
