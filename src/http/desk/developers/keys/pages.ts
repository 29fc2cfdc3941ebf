import type { KeySummary } from '../../../../domain/merchants/key-use.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { VISIBLE_PREFIX_FORM } from '../../../../platform/values/cells.ts';
import { button, form, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { developersPath, framed, linkButton } from '../frame/frame.ts';

export const keysPath = (visit: AtMerchant) => `${developersPath(visit)}/keys`;

/** The merchant's keys in force, and those that have ended. */
export function keysPage(visit: AtMerchant, keys: readonly KeySummary[]): Page {
  const { keys: words } = visit.texts.developers;
  const heads = [
    words.key,
    words.name,
    words.rights,
    words.from,
    words.created,
    words.lastUse,
    words.expires,
    words.actions,
  ];
  const list = html`<section class="card">
    ${keys.length === 0 ? html`<p>${words.none}</p>` : keysTable(visit, heads, keys)}
    ${linkButton(`${keysPath(visit)}/new`, words.create)}
  </section>`;
  return framed(visit, {
    title: words.title,
    main: list,
    note: noteOf(visit, keys),
  });
}

/** What was done to a key, or who has left keys behind. */
function noteOf(visit: AtMerchant, keys: readonly KeySummary[]): string | null {
  const { texts, query } = visit;
  const { keys: words } = texts.developers;
  const named = (name: string) => VISIBLE_PREFIX_FORM.exec(query.get(name) ?? '')?.[0];
  const [was, from] = [named('was'), named('from')];
  if (was !== undefined) return fillPlain(words.was, { key: was });
  if (from !== undefined) return fillPlain(words.addressesSet, { key: from });
  const left = keys.find((key) => key.made_by === query.get('of') && isInForce(visit, key));
  return left === undefined ? null : fillPlain(words.leftBy, { email: left.made_by_email ?? '' });
}

function keysTable(visit: AtMerchant, heads: readonly string[], keys: readonly KeySummary[]): Html {
  const { keys: words } = visit.texts.developers;
  return table(
    words.title,
    heads,
    keys.map((key) => rowOf(visit, key)),
  );
}

function rowOf(visit: AtMerchant, key: KeySummary): Html[] {
  const { never, keys: words } = visit.texts.developers;
  const { prefix, name, permissions, allowed_addresses, created_at, last_used_at, made_by_email } = key;
  const isUsed = isInForce(visit, key);
  return [
    html`<code class="held">${fillPlain(words.short, { key: prefix })}</code>`,
    html`${name === null ? null : html`<bdi>${name}</bdi>`}`,
    listed(permissions),
    html`<div>
      <div>${allowed_addresses === null ? html`${words.anywhere}` : listed(allowed_addresses)}</div>
      ${isUsed ? linkTo(visit, prefix, 'addresses') : null}
    </div>`,
    made_by_email === null
      ? time(created_at)
      : html`<div>${time(created_at)}</div>
          <bdi>${made_by_email}</bdi>`,
    last_used_at === null ? html`${never}` : time(last_used_at),
    endOf(visit, key),
    isUsed ? linkTo(visit, prefix, 'revoke') : html``,
  ];
}

/** Short texts of which each keeps together. */
const listed = (texts: readonly string[]): Html =>
  html`<span class="facts-of">${texts.map((text) => html`<span>${text}</span>`)}</span>`;

/** Neither revoked nor ended. */
export const isInForce = ({ ctx }: AtMerchant, { revoked_at, expires_at }: KeySummary): boolean =>
  revoked_at === null && (expires_at === null || expires_at > ctx.now());

function endOf(visit: AtMerchant, key: KeySummary): Html {
  const { never, keys: words } = visit.texts.developers;
  if (key.revoked_at !== null) return html`<span>${words.revoked} ${time(key.revoked_at)}</span>`;
  if (key.expires_at === null) return html`${never}`;
  if (isInForce(visit, key)) return time(key.expires_at);
  return html`<span>${words.ended} ${time(key.expires_at)}</span>`;
}

function linkTo(visit: AtMerchant, prefix: string, page: 'addresses' | 'revoke'): Html {
  const { keys: words } = visit.texts.developers;
  const [label, which] =
    page === 'revoke' ? [words.revoke, words.revokeWhich] : [words.change, words.changeAddresses];
  const name = fillPlain(which, { key: prefix });
  return html`<a class="button quiet" href="${keysPath(visit)}/${prefix}/${page}" aria-label="${name}"
    >${label}</a
  >`;
}

/** Asks before a key is revoked, which nothing undoes. */
export function revokePage(visit: AtMerchant, { prefix, name }: KeySummary): Page {
  const { cancel, keys: words } = visit.texts.developers;
  const title = fillPlain(words.revokeTitle, { key: prefix });
  return framed(visit, {
    title,
    main: html`<section class="card narrow">
      ${name === null ? null : html`<p><bdi>${name}</bdi></p>`}
      <p>${words.revokeText}</p>
      ${form(`${keysPath(visit)}/${prefix}/revoke`, button(words.revoke))}
      ${linkButton(keysPath(visit), cancel)}
    </section>`,
  });
}

/** The one page that ever shows a key; null: it was shown before. */
export function madePage(visit: AtMerchant, key: string | null): Page {
  const { keys: words } = visit.texts.developers;
  return framed(visit, {
    title: key === null ? words.againTitle : words.madeTitle,
    main: html`<section class="card narrow">
      <p>${key === null ? words.againText : words.madeText}</p>
      ${key === null ? null : html`<p><code class="link">${key}</code></p>`}
      ${linkButton(keysPath(visit), key === null ? words.back : words.seen)}
    </section>`,
  });
}
