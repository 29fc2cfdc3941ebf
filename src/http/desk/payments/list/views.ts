import { listViews, MAX_NAME_LENGTH, type View } from '../../../../domain/people/views/store.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, hidden } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { paymentsPath } from '../page/own.ts';
import { filtersOf } from './filters.ts';

export const keeperOf = ({ merchant, session }: AtMerchant) => ({
  merchantId: merchant.merchant_id,
  personId: session.person_id,
});

/** The person's views, and the forms that keep, rename and delete one. */
export async function viewsCard(visit: AtMerchant): Promise<Html | null> {
  const { payments } = visit.texts;
  const path = paymentsPath(visit);
  const filters = filtersOf(visit.query).toString();
  const views = await listViews(visit.ctx.db, keeperOf(visit));
  const shown = visit.query.has('q') ? undefined : views.find((view) => view.filters === filters);
  const links = views.map((view) => {
    const current = view === shown ? html`aria-current="page"` : null;
    return html`<li>
      <a href="${path}?${view.filters}" ${current}><bdi>${view.name}</bdi></a>
    </li>`;
  });
  const forms = shown === undefined ? keepForm(visit, filters) : changeForms(visit, shown);
  if (views.length === 0 && forms === null) return null;
  return html`<section class="card views">
    ${
      views.length === 0
        ? null
        : html`<nav aria-label="${payments.views}">
            <ul>
              ${links}
            </ul>
          </nav>`
    }
    ${forms}
  </section>`;
}

/** Filters alone: a search may hold a customer's mail address, which an erasure would not find here. */
function keepForm(visit: AtMerchant, filters: string): Html | null {
  const { payments } = visit.texts;
  if (filters === '' || visit.query.has('q')) return null;
  const fields = html`${hidden('filters', filters)} ${nameField(payments.viewName, '')}
  ${button(payments.keepView, { kind: 'quiet' })}`;
  return form(`${paymentsPath(visit)}/views`, fields, 'inline');
}

function changeForms(visit: AtMerchant, { id, name }: View): Html {
  const { payments } = visit.texts;
  const path = `${paymentsPath(visit)}/views/${id}`;
  const rename = html`${nameField(payments.viewName, name)} ${button(payments.renameView, { kind: 'quiet' })}`;
  const label = fillPlain(payments.deleteWhich, { name });
  return html`<div class="actions">
    ${form(`${path}/rename`, rename, 'inline')}
    ${form(`${path}/delete`, button(payments.deleteView, { kind: 'quiet', name: label }), 'inline')}
  </div>`;
}

function nameField(label: string, value: string): Html {
  return html`<label class="unseen" for="view-name">${label}</label>
    <input
      id="view-name"
      name="name"
      value="${value}"
      placeholder="${label}"
      maxlength="${MAX_NAME_LENGTH}"
      autocomplete="off"
      required
    />`;
}
