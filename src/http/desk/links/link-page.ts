import type { LinkTotals } from '../../../domain/links/store.ts';
import { MOST_SUMMED } from '../../../domain/links/store.ts';
import type { LinkResource } from '../../../domain/links/schemas.ts';
import { may } from '../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { pairs } from '../shell/choices.ts';
import { alert, button, field, form, said, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
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
      ${addressOf(visit, link)} ${mayWrite ? editForm(visit, shown) : null}
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
  const facts: readonly (readonly [string, Html])[] = [
    [texts.name, html`<bdi>${link.title}</bdi>`],
    ...(link.description === null
      ? []
      : ([[texts.description, html`<bdi>${link.description}</bdi>`]] as const)),
    [texts.price, html`<bdi dir="ltr">${pricesOf(link, coin)}</bdi>`],
    [texts.state, html`<strong>${texts.states[stateOfLink(link)]}</strong>`],
    [texts.taken, html`${takenOf(visit, link)}`],
    [texts.totals, html`${sums}`],
    ...(link.expires_at === null ? [] : ([[texts.ends, time(new Date(link.expires_at))]] as const)),
    [texts.created, time(new Date(link.created_at))],
    [texts.payments, html`<a href="${base}/payments?order_id=${link.id}"><code>${link.id}</code></a>`],
  ];
  return pairs(facts);
}

/** All of it can be selected and copied as it stands. */
function addressOf({ texts: { links: texts } }: AtMerchant, { url, code_url, title }: LinkResource): Html {
  const path = new URL(code_url).pathname;
  const tag = `<a href="${url}">${texts.button}</a>`;
  return html`<section class="card">
    <h2>${texts.address}</h2>
    <p><code class="link">${url}</code></p>
    <div class="actions">
      <a class="button" href="${url}">${texts.openPage}</a>
      <a class="button" href="${path}" download="${title}.svg">${texts.svg}</a>
      <a class="button" href="${path.replace(/svg$/, 'png')}" download="${title}.png">${texts.png}</a>
    </div>
    <p><img class="qr" src="${path}" width="200" height="200" alt="${texts.codeAlt}" /></p>
    <p class="small">${texts.html}</p>
    <p><code class="link">${tag}</code></p>
  </section>`;
}

function editForm(visit: AtMerchant, { link, coin }: ShownLink): Html {
  const { links: texts } = visit.texts;
  const optional = { isOptional: true } as const;
  const ends = link.expires_at === null ? '' : link.expires_at.slice(0, 10);
  const left = { left: String(link.stock_left ?? 0), taken: String(link.uses) };
  const stock =
    link.stock === null
      ? field({
          name: 'stock',
          label: texts.setStock,
          hint: fillPlain(texts.setStockHint, left),
          ...optional,
        })
      : field({
          name: 'restock',
          label: texts.restock,
          hint: fillPlain(texts.restockHint, left),
          ...optional,
        });
  const fields = html`${field({ name: 'title', label: texts.name, value: link.title })}
  ${field({ name: 'description', label: texts.description, value: link.description ?? '', ...optional })}
  ${link.prices === null || link.prices.length < 2 ? null : pricesForm(visit, link, coin)} ${stock}
  ${field({ name: 'ends', label: texts.ends, type: 'date', value: ends, hint: texts.endsHint, ...optional })}
  ${box('active', texts.active, link.paused_at === null)} ${button(texts.save)}`;
  return html`<section class="card">
    <h2>${texts.editTitle}</h2>
    ${form(`${linksPath(visit)}/${link.id}`, fields)}
  </section>`;
}

function pricesForm({ texts: { links: texts } }: AtMerchant, link: LinkResource, coin: string): Html {
  return html`<fieldset class="choices">
    <legend>${texts.offered}</legend>
    ${(link.prices ?? []).map(({ name, amount, closed }, place) =>
      box(`price-${place}`, `${name ?? ''}: ${amount} ${link.price_currency ?? coin}`, closed !== true),
    )}
  </fieldset>`;
}

const box = (name: string, label: string, isOn: boolean): Html =>
  html`<p class="check">
    <input type="checkbox" id="${name}" name="${name}" value="on" ${isOn ? html`checked` : null} />
    <label for="${name}"><bdi>${label}</bdi></label>
  </p>`;

function archiveForm(visit: AtMerchant, { id }: LinkResource): Html {
  const { links: texts } = visit.texts;
  return html`<section class="card">
    <p>${texts.archiveText}</p>
    ${form(`${linksPath(visit)}/${id}/archive`, button(texts.archive, { kind: 'quiet' }), 'inline')}
  </section>`;
}
