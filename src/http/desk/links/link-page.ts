import { EMBED_SCRIPT_PATH } from '../../../domain/checkout/page/embedding.ts';
import type { LinkTotals } from '../../../domain/links/store.ts';
import { MOST_SUMMED } from '../../../domain/links/store.ts';
import type { LinkResource } from '../../../domain/links/schemas.ts';
import { may } from '../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { codeBlock, pairs } from '../shell/choices.ts';
import { alert, button, form, said, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import { editForm } from './edit-form.ts';
import { linksPath, pricesOf, stateOfLink, takenOf } from './list-page.ts';

export interface ShownLink {
  readonly link: LinkResource;
  readonly totals: LinkTotals;
  readonly coin: string;
  readonly fault: string | null;
}

/** A link: its address and code, what it has taken, and a form that changes it. */
export function linkPage(visit: AtMerchant, shown: ShownLink): Page {
  const { links: texts } = visit.texts;
  const { link, fault } = shown;
  const note = visit.query.get('said');
  const text = note === 'created' ? texts.created2 : note === 'saved' ? texts.saved : null;
  const mayWrite = may(visit.merchant.role, 'payments:write') && link.archived_at === null;
  return {
    title: texts.one,
    status: fault === null ? 200 : 400,
    main: html`${said(fault === null ? text : null)} ${alert(fault)}
      <section class="card">${factsOf(visit, shown)}</section>
      ${addressOf(visit, link)} ${mayWrite ? editForm(visit, linksPath(visit), shown) : null}
      ${mayWrite ? archiveForm(visit, link) : null}
      <p><a class="button" href="${linksPath(visit)}">${texts.back}</a></p>`,
  };
}

function factsOf(visit: AtMerchant, { link, totals, coin }: ShownLink): Html {
  const { links: texts } = visit.texts;
  const { payments, received, refunded } = totals;
  const sums = fillPlain(payments === MOST_SUMMED ? texts.totalsMore : texts.totalsText, {
    payments: String(payments),
    received,
    refunded,
    coin,
  });
  const base = `/dashboard/${visit.merchant.merchant_id}`;
  const since = link.archived_at ?? link.paused_at;
  return pairs([
    [texts.name, html`<bdi>${link.title}</bdi>`],
    [texts.description, textOf(link.description)],
    [texts.price, html`<bdi dir="ltr">${pricesOf(link, coin)}</bdi>`],
    [texts.asks, asksOf(visit, link)],
    [
      texts.state,
      html`<strong>${texts.states[stateOfLink(link)]}</strong>
        ${since === null ? null : time(new Date(since))}`,
    ],
    [texts.taken, html`${takenOf(visit, link)}`],
    [texts.left, link.stock_left === null ? null : html`${link.stock_left}`],
    [texts.uses, link.max_uses === null ? null : html`${link.max_uses}`],
    [texts.totals, html`${sums}`],
    [texts.minutes, html`${fillPlain(texts.minutesText, { minutes: String(link.expiration_minutes) })}`],
    [texts.ends, link.expires_at === null ? null : time(new Date(link.expires_at))],
    [texts.success, link.success_url === null ? null : html`<code class="link">${link.success_url}</code>`],
    [texts.thanks, textOf(link.thank_you)],
    [texts.created, time(new Date(link.created_at))],
    [texts.payments, html`<a href="${base}/payments?order_id=${link.id}"><code>${link.id}</code></a>`],
  ]);
}

const textOf = (text: string | null): Html | null => (text === null ? null : html`<bdi>${text}</bdi>`);

/** "Which size? (size, required, at most 20 characters)", one below the other. */
function asksOf({ texts: { links: texts } }: AtMerchant, { fields }: LinkResource): Html | null {
  if (fields.length === 0) return null;
  return html`<ul class="plain">
    ${fields.map(({ key, label, required, max_length: length }) => {
      const rule = fillPlain(required ? texts.askRequired : texts.askFree, { key, length: String(length) });
      return html`<li><bdi>${label}</bdi> (${rule})</li>`;
    })}
  </ul>`;
}

/** All of it can be selected and copied as it stands. */
function addressOf({ ctx, texts: { links: texts } }: AtMerchant, link: LinkResource): Html {
  const { url, code_url, title } = link;
  const path = new URL(code_url).pathname;
  // As docs/guides/payment-links.md prescribes.
  const script = `<script async src="${ctx.config.publicUrl}${EMBED_SCRIPT_PATH}"></script>`;
  const tag = `${script}\n<a data-checkout href="${url}">${texts.button}</a>`;
  return html`<section class="card">
    <h2>${texts.address}</h2>
    <p><code class="link">${url}</code></p>
    <div class="actions">
      <a class="button" href="${url}">${texts.openPage}</a>
      <a class="button" href="${path}" download="${title}.svg">${texts.svg}</a>
      <a class="button" href="${path.replace(/svg$/, 'png')}" download="${title}.png">${texts.png}</a>
    </div>
    <p><img class="qr" src="${path}" width="200" height="200" alt="${texts.codeAlt}" /></p>
    <p class="small">${texts.htmlHint}</p>
    ${codeBlock(texts.html, tag)}
  </section>`;
}

function archiveForm(visit: AtMerchant, { id }: LinkResource): Html {
  const { links: texts } = visit.texts;
  return html`<section class="card">
    <p>${texts.archiveText}</p>
    ${form(`${linksPath(visit)}/${id}/archive`, button(texts.archive, { kind: 'quiet' }), 'inline')}
  </section>`;
}
