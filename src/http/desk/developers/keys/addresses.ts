import { PERMISSIONS } from '../../../../domain/api/endpoint.ts';
import { setKeyAddresses } from '../../../../domain/merchants/issue-key.ts';
import { parseAddresses } from '../../../../domain/merchants/key-limits.ts';
import { listKeys, type KeySummary } from '../../../../domain/merchants/key-use.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html } from '../../../../platform/pages/html.ts';
import { textArea } from '../../shell/choices.ts';
import { alert, button, form } from '../../shell/fields.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
  type Page,
} from '../../shell/route.ts';
import { DEVELOPERS, framed, linkButton } from '../frame/frame.ts';
import { isInForce, keysPath } from './pages.ts';

const OF_ADDRESSES = {
  access: 'member',
  right: 'keys:write',
  path: `${DEVELOPERS}/keys/:key/addresses`,
  isFresh: true,
  perMinute: DESK_PER_MINUTE,
} as const;

/** From where a key that exists is taken. */
export const keyAddressRoutes: readonly DeskRoute[] = [
  {
    ...OF_ADDRESSES,
    name: 'addresses of key',
    method: 'get',
    handle: (visit: AtMerchant) =>
      withKey(visit, async (key) =>
        addressesPage(visit, key, { entered: (key.allowed_addresses ?? []).join('\n'), fault: null }),
      ),
  },
  {
    ...OF_ADDRESSES,
    name: 'set addresses of key',
    method: 'post',
    handle: (visit: AtMerchant) => withKey(visit, (key) => change(visit, key)),
  },
];

/**
 * A key in force. Who may not do all that it may must not open it to further addresses: it is worth more
 * than their role.
 */
async function withKey(visit: AtMerchant, use: (key: KeySummary) => Promise<DeskReply>): Promise<DeskReply> {
  const { ctx, merchant, params, texts } = visit;
  const keys = await listKeys(ctx.db, merchant.merchant_id);
  const key = keys.find((one) => one.prefix === params.key && isInForce(visit, one));
  if (key === undefined) return 'missing';
  const isWithin = PERMISSIONS.every((one) => !key.permissions.includes(one) || may(merchant.role, one));
  if (isWithin) return use(key);
  const { keys: words } = texts.developers;
  const title = fillPlain(words.addressesTitle, { key: key.prefix });
  return framed(visit, {
    title,
    status: 403,
    main: html`<section class="card narrow">
      ${alert(words.beyondRole)} ${linkButton(keysPath(visit), words.back)}
    </section>`,
  });
}

async function change(visit: AtMerchant, key: KeySummary): Promise<DeskReply> {
  const { merchant, texts, field } = visit;
  const { badAddresses, manyAddresses } = texts.developers.keys;
  const addresses = parseAddresses(field('addresses'));
  if (addresses === 'bad' || addresses === 'tooMany') {
    const fault = addresses === 'bad' ? badAddresses : manyAddresses;
    return addressesPage(visit, key, { entered: field('addresses'), fault });
  }
  const named = { merchantId: merchant.merchant_id, prefix: key.prefix };
  const isSet = await setKeyAddresses(acting(visit), named, addresses);
  return isSet ? { to: `${keysPath(visit)}?from=${encodeURIComponent(key.prefix)}` } : 'missing';
}

function addressesPage(
  visit: AtMerchant,
  { prefix, name }: KeySummary,
  { entered, fault }: { entered: string; fault: string | null },
): Page {
  const { cancel, keys: words } = visit.texts.developers;
  const area = {
    name: 'addresses',
    label: words.addresses,
    hint: words.addressesHint,
    value: entered,
    fault,
    isOptional: true,
  } as const;
  const fields = html`<p>${words.addressesText}</p>
    ${textArea(area)} ${button(words.saveAddresses)}`;
  return framed(visit, {
    title: fillPlain(words.addressesTitle, { key: prefix }),
    status: fault === null ? 200 : 400,
    main: html`<section class="card narrow">
      ${name === null ? null : html`<p><bdi>${name}</bdi></p>`} ${form(visit.path, fields)}
      ${linkButton(keysPath(visit), cancel)}
    </section>`,
  });
}
