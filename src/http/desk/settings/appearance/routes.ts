import { ValidationError } from '../../../../domain/api/errors.ts';
import { imageTypeOf, IMAGE_TYPES } from '../../../../domain/checkout/appearance/image-type.ts';
import { clearLogo, setLogo } from '../../../../domain/checkout/appearance/logo.ts';
import { toAppearance } from '../../../../domain/checkout/appearance/resource.ts';
import { setAppearance, surroundingsOf } from '../../../../domain/checkout/appearance/set.ts';
import { readAppearance, type AppearanceRow } from '../../../../domain/checkout/appearance/store.ts';
import { previewPage } from '../../../../domain/checkout/page/preview.ts';
import { languageNamed, languageFor } from '../../../../domain/languages/languages.ts';
import type { AdaptersByMode } from '../../../../domain/payments/lifecycle/ports.ts';
import {
  acting,
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, readCaller, type Fault } from '../../verbs.ts';
import { settingsPath } from '../shared/menu.ts';
import { checkDraft, draftBy, draftOf, DRAFT_FIELDS, shownChoices, type Draft } from './draft.ts';
import { appearancePage } from './page.ts';

const PATH = '/dashboard/:merchant/settings/appearance';
/** That of the API. */
const MAX_LOGO_BYTES = 100 * 1024;
/** Two frames, which are loaded again while somebody types. */
const PREVIEWS_PER_MINUTE = 600;

/** How a merchant appears: what `PUT /v1/checkout/appearance` and `PUT /v1/checkout/logo` set, as forms. */
export const appearanceRoutes = (adapters: AdaptersByMode): readonly DeskRoute[] => [
  {
    name: 'appearance',
    method: 'get',
    path: PATH,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    // With a draft in the query: the button that shows it where no script does.
    handle: (visit) => (visit.query.has('name') ? showDraft(visit, draftOfQuery(visit)) : show(visit)),
  },
  {
    name: 'preview',
    method: 'get',
    path: `${PATH}/preview`,
    access: 'member',
    right: 'payments:read',
    perMinute: PREVIEWS_PER_MINUTE,
    handle: (visit) => preview(visit, adapters),
  },
  {
    name: 'set appearance',
    method: 'post',
    path: PATH,
    access: 'member',
    right: 'checkout:write',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const draft = draftBy((name) => visit.field(name));
      const change = (row: AppearanceRow | null) => checkDraft(visit, draft, row);
      return orShow(visit, draft, async () =>
        setAppearance(acting(visit), adapters, await readCaller(visit), change),
      );
    },
  },
  {
    name: 'set logo',
    method: 'post',
    path: `${PATH}/logo`,
    access: 'member',
    right: 'checkout:write',
    perMinute: COSTLY_PER_MINUTE,
    takesFile: true,
    handle: (visit) => orShow(visit, null, () => takeLogo(visit)),
  },
  {
    name: 'remove logo',
    method: 'post',
    path: `${PATH}/logo/remove`,
    access: 'member',
    right: 'checkout:write',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => orShow(visit, null, () => clearLogo(acting(visit), visit.merchant.merchant_id)),
  },
];

const draftOfQuery = ({ query }: AtMerchant): Draft => draftBy((name) => query.get(name) ?? '');

async function takeLogo(visit: AtMerchant): Promise<void> {
  const { file: bytes, merchant } = visit;
  if (bytes === null) throw new ValidationError('logo', 'required', 'is missing: choose a file first');
  if (bytes.length > MAX_LOGO_BYTES) throw new ValidationError('logo', 'maxLength', 'is larger than 100 kB');
  const type = imageTypeOf(bytes);
  if (type === null)
    throw new ValidationError('logo', 'format', `is no image of these types: ${IMAGE_TYPES.join(', ')}`);
  await setLogo(acting(visit), merchant.merchant_id, { type, bytes });
}

/** Does it, or shows what was entered with what is wrong about it. */
async function orShow(
  visit: AtMerchant,
  draft: Draft | null,
  work: () => Promise<unknown>,
): Promise<DeskReply> {
  const tried = await attempt(visit, work);
  if ('fault' in tried) return show(visit, draft, tried);
  return { to: `${settingsPath(visit, 'appearance')}?said=saved` };
}

/** A draft that is not saved, with what is wrong about it. */
async function showDraft(visit: AtMerchant, draft: Draft): Promise<DeskReply> {
  const row = await readAppearance(visit.ctx.db, visit.merchant.merchant_id);
  const checked = await attempt(visit, async () => checkDraft(visit, draft, row));
  return show(visit, draft, 'fault' in checked ? checked : null);
}

async function show(
  visit: AtMerchant,
  draft: Draft | null = null,
  refused: Fault | null = null,
): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const stored = toAppearance(await readAppearance(ctx.db, merchant.merchant_id), ctx.config.publicUrl);
  const field = DRAFT_FIELDS.find((name) => refused?.field?.startsWith(name)) ?? null;
  const fault = refused === null ? null : { field, text: refused.fault };
  return appearancePage(visit, { draft: draft ?? draftOf(stored), stored, fault });
}

async function preview(visit: AtMerchant, adapters: AdaptersByMode): Promise<DeskReply> {
  const { ctx, merchant, query } = visit;
  const caller = await readCaller(visit);
  const row = await readAppearance(ctx.db, merchant.merchant_id);
  const surroundings = await surroundingsOf(ctx, adapters, caller);
  const draft = query.has('name') ? draftOfQuery(visit) : draftOf(toAppearance(row, ctx.config.publicUrl));
  const choices = shownChoices(visit, draft, row, surroundings);
  const logo = row?.appearance.logo ?? null;
  const none = { name: null, support_url: null, accent_color: null, display_currency: null, methods: null };
  return previewPage(ctx, adapters, {
    caller,
    merchantName: merchant.name,
    appearance: { ...(choices ?? { ...none, embed_origins: [] }), logo },
    language: languageNamed(query.get('lang')) ?? languageFor('en'),
    scheme: query.get('scheme') === 'dark' ? 'dark' : 'light',
  });
}
