import { AUDIT_END, readAudit, type AuditEntry } from '../../../domain/audit/record.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { table, time } from '../shell/fields.ts';
import { DESK_PER_MINUTE, type DeskRoute } from '../shell/route.ts';
import type { DeskTexts } from '../shell/texts.ts';

const PAGE = 50;

/** What was done at a merchant, for its owners. */
export const auditRoutes: readonly DeskRoute[] = [
  {
    name: 'audit log',
    method: 'get',
    path: '/dashboard/:merchant/audit',
    access: 'member',
    right: 'audit:read',
    perMinute: DESK_PER_MINUTE,
    async handle({ ctx, texts, merchant, query }) {
      const asked = query.get('before') ?? '';
      const before = /^\d{1,18}$/.test(asked) ? asked : AUDIT_END;
      const entries = await readAudit(ctx.db, merchant.merchant_id, before, PAGE);
      return { title: texts.audit.title, main: entriesOf(texts, entries, merchant.merchant_id) };
    },
  },
];

function entriesOf({ audit }: DeskTexts, entries: readonly AuditEntry[], merchantId: string): Html {
  if (entries.length === 0) return html`<div class="card"><p>${audit.none}</p></div>`;
  const rows = entries.map(({ number, at, kind, actor, email, command, details, address }) => [
    html`${number}`,
    time(at),
    html`<bdi>${email ?? actor}</bdi
      >${kind === 'command' ? html` <span class="badge">${audit.command}</span>` : null}`,
    html`${command}`,
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

/** The merchant is that of the page. */
function detailsOf(details: object): string {
  const { merchant_id: _own, ...others } = details as Readonly<Record<string, unknown>>;
  const written = Object.entries(others).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return written.join('\n');
}
