import { Type, type Static, type TSchema } from 'typebox';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { DISABLED_AFTER_DAYS } from './flow-control.ts';

/** Why an endpoint was disabled: it answered 410 Gone, or did nothing but fail for DISABLED_AFTER_DAYS. */
export const DISABLE_REASONS = ['gone', 'failing'] as const;
export type DisableReason = (typeof DISABLE_REASONS)[number];

/** A value of `schema` or null. */
export const nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
export const dateTime = () => Type.String({ format: 'date-time' });

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
  webhookUrl: nullable(Type.String()),
  enabled: Type.Boolean(),
  updatedAt: dateTime(),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

export const EndpointHealth = Type.Object({
  state: Type.Enum(['unused', 'healthy', 'failing', 'paused', 'switched_off'], {
    description:
      'paused: it keeps failing, so only a probe is sent from time to time. switched_off: it answered 410, ' +
      `or did nothing but fail for ${DISABLED_AFTER_DAYS} days; PUT switches it on again.`,
  }),
  lastSuccessAt: nullable(dateTime()),
  lastFailureAt: nullable(dateTime()),
  failureRate: nullable(
    Type.Number({ description: 'Share of the attempts of the last 24 hours that failed, 0 to 1.' }),
  ),
  switchedOffAt: nullable(dateTime()),
  switchedOffBecause: nullable(Type.Enum([...DISABLE_REASONS])),
});
export type EndpointHealth = Static<typeof EndpointHealth>;

export const WebhookConfigAndHealth = Type.Object({ ...WebhookConfig.properties, health: EndpointHealth });
export type WebhookConfigAndHealth = Static<typeof WebhookConfigAndHealth>;
