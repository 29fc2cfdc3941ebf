import { exportAudit } from '../../../domain/audit/export.ts';
import { AUDIT_END, readAudit, type AuditEntry } from '../../../domain/audit/record.ts';
import { EXPORT_FORMATS } from '../../../domain/exports/file.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { fileReply } from '../exports/file-reply.ts';
import type { ExportSlots } from '../exports/slots.ts';
import { alert, button, field, form, select, table, time } from '../shell/fields.ts';
import {
  COSTLY_PER_MINUTE,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../shell/route.ts';
import { wordsOf, type DeskTexts } from '../shell/texts.ts';

const PAGE = 50;

/** What was done at a merchant, for its owners. */
export const auditRoutes = (slots: ExportSlots): readonly DeskRoute[] => [
  {
    name: 'audit log',
    method: 'get',
    path: '/dashboard/:merchant/audit',
    access: 'member',
    right: 'audit:read',
    perMinute: DESK_PER_MINUTE,
    handle: (visit) => show(visit, null),
  },
  {
    name: 'export audit log',
    method: 'post',
    path: '/dashboard/:merchant/audit/export',
    access: 'member',
    right: 'audit:read',
    isRead: true,
    perMinute: COSTLY_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant, texts } = visit;
      const format = EXPORT_FORMATS.find((one) => one === visit.field('format'));
      if (format === undefined) return show(visit, texts.exports.badChoice, 400);
      const given = visit.field('after').trim();
      const after = given === '' ? '0' : given;
      if (!NUMBER.test(after)) return show(visit, texts.exports.badCursor, 400);
      const file = await fileReply(visit, slots, {
        name: `audit-${ctx.now().toISOString().slice(0, 10)}`,
        format,
        right: 'audit:read',
        details: { kind: 'audit', format, after },
        pages: exportAudit(ctx.db, merchant.merchant_id, after),
        isContinued: given !== '',
      });
      return file ?? show(visit, texts.exports.busy, 429);
    },
  },
];

const NUMBER = /^\d{1,18}$/;

async function show(visit: AtMerchant, fault: string | null, status = 200): Promise<DeskReply> {
  const { ctx, texts, merchant, query } = visit;
  const asked = query.get('before') ?? '';
  const before = NUMBER.test(asked) ? asked : AUDIT_END;
  const entries = await readAudit(ctx.db, merchant.merchant_id, before, PAGE);
  const main = html`${alert(fault)} ${entriesOf(texts, entries, merchant.merchant_id)} ${exportForm(visit)}`;
  return { title: texts.audit.title, status, main };
}

function exportForm({ texts, merchant, field: given }: AtMerchant): Html {
  const { exports } = texts;
  const formats = EXPORT_FORMATS.map((format) => [format, exports.formats[format]] as const);
  const after = { name: 'after', label: exports.after, value: given('after'), hint: exports.afterHint };
  const fields = html`${select({ name: 'format', label: exports.format, value: given('format') }, formats)}
  ${field({ ...after, isOptional: true })} ${button(exports.submit)}`;
  return html`<section class="card narrow">
    <h2>${exports.auditTitle}</h2>
    ${form(`/dashboard/${merchant.merchant_id}/audit/export`, fields)}
  </section>`;
}

function entriesOf(texts: DeskTexts, entries: readonly AuditEntry[], merchantId: string): Html {
  const { audit } = texts;
  if (entries.length === 0) return html`<div class="card"><p>${audit.none}</p></div>`;
  const rows = entries.map(({ number, at, kind, actor, email, command, details, address }) => [
    html`${number}`,
    time(at),
    html`<bdi>${email ?? actor}</bdi
      >${kind === 'command' ? html` <span class="badge">${audit.command}</span>` : null}`,
    whatOf(texts, command),
    html`<code class="details">${detailsOf(details)}</code>`,
    html`${address}`,
  ]);
  const last = entries.at(-1);
  const older =
    entries.length < PAGE || last === undefined
      ? null
      : html`<p>
          <a class="button" href="/dashboard/${merchantId}/audit?before=${last.number}">${audit.older}</a>
        </p>`;
  const heads = ['#', audit.at, audit.who, audit.what, audit.details, audit.from];
  return html`<section class="card">${table(audit.title, heads, rows)} ${older}</section>`;
}

/** With the log's own word, which exports have and developers search for. */
function whatOf(texts: DeskTexts, command: string): Html {
  const words = wordsOf(texts, command);
  return words === command
    ? html`${command}`
    : html`<span>${words} <code class="small">${command}</code></span>`;
}

/** The merchant is that of the page. */
function detailsOf(details: object): string {
  const { merchant_id: _own, ...others } = details as Readonly<Record<string, unknown>>;
  const written = Object.entries(others).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return written.map(visible).join('\n');
}

/** Whoever chose a name must not write a line of the log with it, or turn one around. */
const HIDDEN = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const visible = (text: string): string =>
  text.replaceAll(HIDDEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
