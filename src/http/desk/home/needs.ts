import {
  readNeeds,
  readWaiting,
  MOST_COUNTED,
  NEEDS,
  type WaitingItem,
} from '../../../domain/overview/needs.ts';
import { findUnread } from '../../../domain/ops/health/networks.ts';
import type { MerchantFacts } from '../../../domain/overview/facts.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { table, time } from '../shell/fields.ts';
import type { AtMerchant, DeskReply } from '../shell/route.ts';
import type { DeskTexts } from '../shell/texts.ts';

type Need = keyof DeskTexts['home']['needs'];
type Networks = MerchantFacts['networks'];

/** What waits for a person of the merchant: each kind with its number, and a link to what it is. */
export async function needsCard(visit: AtMerchant, networks: Networks): Promise<Html> {
  const { ctx, merchant, texts } = visit;
  const counted = await readNeeds(ctx.db, merchant.merchant_id);
  const unread = await unreadNetworks(visit, networks);
  const needs = [...counted, { need: 'network' as const, count: unread.length }];
  const waiting = needs.filter(({ count }) => count > 0);
  return html`<section class="card" aria-labelledby="needs">
    <h2 id="needs">${texts.home.needsTitle}</h2>
    ${
      waiting.length === 0
        ? html`<p>${texts.home.nothing}</p>`
        : html`<ul class="needs">
            ${waiting.map((one) => needItem(visit, one))}
          </ul>`
    }
  </section>`;
}

function needItem({ texts, merchant }: AtMerchant, { need, count }: { need: Need; count: number }): Html {
  const { home } = texts;
  const shown = count > MOST_COUNTED ? fillPlain(home.more, { count: String(MOST_COUNTED) }) : String(count);
  return html`<li>
    <a href="/dashboard/${merchant.merchant_id}/waiting/${need}"
      ><strong>${shown}</strong> <span>${home.needs[need]}</span></a
    >
  </li>`;
}

/** Networks that a live payment of the merchant could come on, and that nobody reads now. */
async function unreadNetworks({ ctx, merchant }: AtMerchant, networks: Networks) {
  const isReal = merchant.mode === 'live' && !ctx.config.simulateLive;
  return isReal ? findUnread(ctx, networks) : [];
}

/** The page of what waits of one kind, what waits since last first. */
export async function needPage(visit: AtMerchant, networks: Networks): Promise<DeskReply> {
  const { ctx, merchant, params, texts } = visit;
  const { home } = texts;
  const named = params.need;
  const need = NEEDS.find((one) => one === named);
  if (need === undefined && named !== 'network') return 'missing';
  const kind = need ?? 'network';
  const rows =
    need === undefined
      ? (await unreadNetworks(visit, networks)).map(({ network, fault }) => [
          html`${network}`,
          html`${home.faults[fault]}`,
        ])
      : (await readWaiting(ctx.db, merchant.merchant_id, need)).map((item) => rowOf(visit, kind, item));
  const full = rows.length >= MOST_COUNTED ? fillPlain(home.newest, { count: String(MOST_COUNTED) }) : null;
  return {
    title: home.needs[kind],
    main: html`<section class="card">
      <p>${home.help[kind]}</p>
      ${rows.length === 0 ? html`<p>${home.nothing}</p>` : table(home.needs[kind], headsOf(texts, kind), rows)}
      ${full === null ? null : html`<p class="small">${full}</p>`}
      <p><a class="button" href="/dashboard/${merchant.merchant_id}">${home.back}</a></p>
    </section>`,
  };
}

function headsOf({ home: { columns } }: DeskTexts, need: Need): string[] {
  if (need === 'network') return [columns.network, columns.reason];
  if (need === 'endpoint') return [columns.endpoint, columns.reason, columns.since];
  return [columns.order, columns.amount, columns.reason, columns.since, columns.payment];
}

function rowOf({ texts, merchant }: AtMerchant, need: Need, item: WaitingItem): Html[] {
  const { id, title, amount, coin, reason, since } = item;
  if (need === 'endpoint') return [html`<bdi>${title}</bdi>`, html`${reasonOf(texts, reason)}`, time(since)];
  const path = `/dashboard/${merchant.merchant_id}/payments/${id}`;
  return [
    html`<bdi>${title}</bdi>`,
    amount === null ? html`` : html`<bdi dir="ltr">${amount} ${coin}</bdi>`,
    reason === null ? html`` : html`<bdi>${reason}</bdi>`,
    time(since),
    html`<a href="${path}"><code>${id}</code></a>`,
  ];
}

/** Why nothing is sent to an endpoint. */
function reasonOf({ home: { reasons } }: DeskTexts, reason: string | null): string {
  return reason === 'gone' || reason === 'failing' ? reasons[reason] : reasons.paused;
}
