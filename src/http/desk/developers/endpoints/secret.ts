import { recordAct } from '../../../../domain/audit/record.ts';
import { getWebhookSecrets } from '../../../../domain/webhooks/secrets/read.ts';
import { rotateSecret } from '../../../../domain/webhooks/secrets/rotate.ts';
import type { WebhookSecrets } from '../../../../domain/webhooks/secrets/schemas.ts';
import { ENDPOINT_SECRETS, MERCHANT_SECRETS } from '../../../../domain/webhooks/secrets/store.ts';
import type { WebhookEndpoint } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { fill, fillPlain, html } from '../../../../platform/pages/html.ts';
import { button, form, select, time } from '../../shell/fields.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
  type Page,
} from '../../shell/route.ts';
import { callerOf, claimOf, formField } from '../../verbs.ts';
import { DEVELOPERS, framed, linkButton } from '../frame/frame.ts';
import { endpointPath, endpointsPath, readNamed } from './named.ts';

const SECRET = `${DEVELOPERS}/endpoints/:endpoint/secret`;
const OF_SECRETS = { access: 'member', right: 'webhooks:secrets', isFresh: true } as const;

/** The secret that signs what an endpoint gets, for who has just proven that it is them. */
export const secretRoutes: readonly DeskRoute[] = [
  {
    ...OF_SECRETS,
    name: 'webhook secret',
    method: 'get',
    path: SECRET,
    perMinute: DESK_PER_MINUTE,
    async handle(visit: AtMerchant) {
      const endpoint = await readNamed(visit);
      const { store, ownerId } = ownerOf(visit, endpoint);
      const secrets = await getWebhookSecrets(visit.ctx, ownerId, store);
      const { merchant_id } = visit.merchant;
      const details = { merchant_id, ...(endpoint.id === null ? {} : { endpoint_id: endpoint.id }) };
      await recordAct(acting(visit), visit.ctx.db, 'webhook secret shown', details);
      return secretPage(visit, endpoint, secrets);
    },
  },
  {
    ...OF_SECRETS,
    name: 'rotate webhook secret',
    method: 'post',
    path: SECRET,
    perMinute: COSTLY_PER_MINUTE,
    handle: rotate,
  },
];

/** Leads on to the page that shows it: the form's response would rotate it again when it is reloaded. */
async function rotate(visit: AtMerchant): Promise<DeskReply> {
  const endpoint = await readNamed(visit);
  const hours = OVERLAPS.find((one) => one === visit.field('overlap')) ?? '24';
  const owner = ownerOf(visit, endpoint);
  const claim = claimOf(visit, `secrets of ${owner.ownerId}`);
  await rotateSecret(acting(visit), callerOf(visit), { overlap_hours: Number(hours) }, claim, owner);
  return { to: `${visit.path}?said=rotated` };
}

const OVERLAPS = ['24', '1', '168', '0'] as const;

const ownerOf = ({ merchant }: AtMerchant, { id }: WebhookEndpoint) =>
  id === null
    ? { store: MERCHANT_SECRETS, ownerId: merchant.merchant_id }
    : { store: ENDPOINT_SECRETS, ownerId: id };

function secretPage(visit: AtMerchant, endpoint: WebhookEndpoint, secrets: WebhookSecrets): Page {
  const { endpoints: words } = visit.texts.developers;
  const overlaps = OVERLAPS.map((hours) => [hours, words.overlaps[hours]] as const);
  const fields = html`${formField()}
  ${select({ name: 'overlap', label: words.overlap, value: '24' }, overlaps)} ${button(words.rotate)}`;
  return framed(visit, {
    title: words.secretTitle,
    note: visit.query.get('said') === 'rotated' ? words.rotated : null,
    main: html`<section class="card">
        <p><bdi>${endpoint.url ?? ''}</bdi></p>
        <p><code class="link">${secrets.secret}</code></p>
        <p class="small">${fill(words.since, { time: time(new Date(secrets.created_at)) })}</p>
        ${secrets.previous.map(
          ({ secret, expires_at }) =>
            html`<p class="small">
              ${fillPlain(words.previous, { time: expires_at.slice(0, 16).replace('T', ' ') })}
              <code>${secret}</code>
            </p>`,
        )}
      </section>
      <section class="card">
        <h2>${words.rotate}</h2>
        ${form(visit.path, fields, 'step narrow')}
      </section>
      ${linkButton(endpointPath(visit, endpoint) ?? endpointsPath(visit), words.back)}`,
  });
}
