import { Type, type Static } from 'typebox';
import { nullable, timestamp } from '../../api/schemas.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { DISABLED_AFTER_DAYS } from './flow-control.ts';

/** Why an endpoint was disabled: it answered 410 Gone, or did nothing but fail for DISABLED_AFTER_DAYS. */
const DISABLE_REASONS = ['gone', 'failing'] as const;
export type DisableReason = (typeof DISABLE_REASONS)[number];

export const WebhookConfigBody = Type.Object(
  {
    webhookUrl: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'delivery-url',
      maxLength: MAX_URL_LENGTH,
      description: 'URL that receives webhook events.',
    }),
    enabled: Type.Boolean({ description: 'Whether webhooks are sent; true needs a webhookUrl.' }),
  },
  {
    additionalProperties: false,
    if: { properties: { enabled: { const: true } }, required: ['enabled'] },
    then: { properties: { webhookUrl: { type: 'string' } } },
  },
);
export type WebhookConfigBody = Static<typeof WebhookConfigBody>;

export const WebhookConfig = Type.Object({
  webhookUrl: nullable(Type.String(), 'URL that receives webhook events; null: none is set.'),
  enabled: Type.Boolean({ description: 'Whether webhooks are sent.' }),
  updatedAt: timestamp('When it was set.'),
});
export type WebhookConfig = Static<typeof WebhookConfig>;

export const EndpointHealth = Type.Object({
  state: Type.Enum(['unused', 'untested', 'healthy', 'failing', 'paused', 'switched_off'], {
    description:
      'unused: there is no URL. untested: nothing was sent since it was set or switched on. ' +
      'paused: it keeps failing, so only a probe is sent from time to time. switched_off: it answered 410, ' +
      `or did nothing but fail for ${DISABLED_AFTER_DAYS} days; PUT /v1/webhooks/config or ` +
      'POST /v1/webhooks/endpoints/enable switches it on again.',
  }),
  lastSuccessAt: nullable(timestamp(), 'Null: nothing was delivered yet.'),
  lastFailureAt: nullable(timestamp(), 'Null: no attempt has failed.'),
  failureRate: nullable(
    Type.Number({
      description:
        'Share of attempts that failed, 0 to 1: of those for events of the last 24 hours (of all endpoints ' +
        'the newest 2,000), since the endpoint was set or switched on. Null: there was none.',
    }),
  ),
  switchedOffAt: nullable(timestamp(), 'Null: it is not switched off.'),
  switchedOffBecause: nullable(Type.Enum([...DISABLE_REASONS]), 'gone: it answered 410.'),
});
export type EndpointHealth = Static<typeof EndpointHealth>;

export const WebhookConfigAndHealth = Type.Object({ ...WebhookConfig.properties, health: EndpointHealth });
export type WebhookConfigAndHealth = Static<typeof WebhookConfigAndHealth>;
