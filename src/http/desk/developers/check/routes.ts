import type { WebhookClient } from '../../../../domain/webhooks/client/client.ts';
import { readWebhookConfig } from '../../../../domain/webhooks/endpoints/settings.ts';
import { listRegistrations } from '../../../../domain/webhooks/endpoints/registration.ts';
import { checkReceiver } from '../../../../domain/webhooks/receiver-check/check.ts';
import type { ReceiverCheck } from '../../../../domain/webhooks/receiver-check/schemas.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, claimOf, readCaller } from '../../verbs.ts';
import { DEVELOPERS } from '../frame/frame.ts';
import { DEFAULT } from '../endpoints/named.ts';
import { checkPage } from './page.ts';

const OF_CHECKS = { path: `${DEVELOPERS}/check`, access: 'member', right: 'webhooks:write' } as const;

/** Sends good and bad events to a receiver of the merchant, and says what a correct one does. */
export const checkRoutes = (webhooks: WebhookClient): readonly DeskRoute[] => [
  {
    ...OF_CHECKS,
    name: 'receiver check',
    method: 'get',
    perMinute: DESK_PER_MINUTE,
    handle: (visit: AtMerchant) => show(visit, { report: null, fault: null }),
  },
  {
    ...OF_CHECKS,
    name: 'check receiver',
    method: 'post',
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit: AtMerchant) {
      const caller = await readCaller(visit);
      const asked = visit.field('endpoint');
      const body = asked === DEFAULT || asked === '' ? {} : { endpoint_id: asked };
      const claim = claimOf(visit, 'receiver check');
      const checked = await attempt(visit, () =>
        checkReceiver(acting(visit), caller, { body, claim, client: webhooks }),
      );
      if ('fault' in checked) return show(visit, { report: null, fault: checked.fault });
      return show(visit, { report: JSON.parse(checked.done.text) as ReceiverCheck, fault: null });
    },
  },
];

async function show(
  visit: AtMerchant,
  shown: { report: ReceiverCheck | null; fault: string | null },
): Promise<DeskReply> {
  const { ctx, merchant, texts } = visit;
  const { merchant_id: merchantId } = merchant;
  const { webhookUrl } = await readWebhookConfig(ctx.db, merchantId);
  const registered = await listRegistrations(ctx.db, merchantId);
  const own =
    webhookUrl === null ? [] : [[DEFAULT, `${webhookUrl} (${texts.developers.endpoints.default})`] as const];
  const receivers = [...own, ...registered.map(({ id, url }) => [id, url] as const)];
  return checkPage(visit, { ...shown, receivers });
}
