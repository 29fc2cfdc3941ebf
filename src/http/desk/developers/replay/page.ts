import type { CountedEndpoint } from '../../../../domain/webhooks/deliveries/range/count.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { button, field, form, hidden, select, table } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { formField } from '../../verbs.ts';
import { developersPath, framed } from '../frame/frame.ts';

/** What the form asks for, as the API takes it. */
export const FIELDS = ['which', 'endpoint_id', 'from_date', 'to_date'] as const;

export const replayPath = (visit: AtMerchant) => `${developersPath(visit)}/replay`;

interface Replay {
  /** The merchant's registered endpoints: ids and URLs. */
  readonly registered: readonly (readonly [id: string, url: string])[];
  /** What would be sent again; null: nobody has asked yet. */
  readonly counted: readonly CountedEndpoint[] | null;
  readonly fault: string | null;
}

/** The form of a range, how many deliveries it has, and the button that sends them. */
export function replayPage(visit: AtMerchant, { registered, counted, fault }: Replay): Page {
  const { replay: words } = visit.texts.developers;
  return framed(visit, {
    title: words.title,
    note: noteOf(visit),
    fault,
    main: html`<section class="card">
        <p>${words.text}</p>
        ${rangeForm(visit, registered)}
      </section>
      ${counted === null ? null : countOf(visit, counted)}`,
  });
}

function noteOf({ query, texts }: AtMerchant): string | null {
  const { replay: words } = texts.developers;
  const count = query.get('done') ?? '';
  if (count === '0') return words.doneNone;
  const by = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.exec(query.get('by') ?? '')?.[0].replace('T', ' ');
  if (!/^\d{1,6}$/.test(count) || by === undefined) return null;
  return fillPlain(words.done, { count, time: `${by} UTC` });
}

/** A GET: it counts, and changes nothing. */
function rangeForm({ texts, query, path }: AtMerchant, registered: Replay['registered']): Html {
  const { replay: words, deliveries } = texts.developers;
  const value = (name: (typeof FIELDS)[number]) => query.get(name) ?? '';
  const fields = html`${select({ name: 'which', label: words.which, value: value('which') }, [
    ['failed', words.failed],
    ['all', words.every],
  ])}
  ${select({ name: 'endpoint_id', label: words.to, value: value('endpoint_id') }, [
    ['', words.everyEndpoint],
    ...registered,
  ])}
  ${field({ name: 'from_date', label: deliveries.from, type: 'date', value: value('from_date') })}
  ${field({ name: 'to_date', label: deliveries.to, type: 'date', value: value('to_date'), isOptional: true })}
  ${button(words.count)}`;
  return html`<form method="get" action="${path}" class="filters">${fields}</form>`;
}

function countOf(visit: AtMerchant, counted: readonly CountedEndpoint[]): Html {
  const { replay: words, endpoints, deliveries } = visit.texts.developers;
  if (counted.length === 0) return html`<section class="card"><p>${words.nothing}</p></section>`;
  const sum = counted.reduce((all, { count, is_switched_off }) => all + (is_switched_off ? 0 : count), 0);
  const rows = counted.map(({ url, count, is_switched_off }) => [
    html`<bdi>${url ?? endpoints.default}</bdi>`,
    html`${count}`,
    html`${is_switched_off ? words.off : null}`,
  ]);
  const asked = FIELDS.map((name) => hidden(name, visit.query.get(name) ?? ''));
  const submit = button(fillPlain(words.submit, { count: String(sum) }));
  return html`<section class="card" aria-live="polite">
    <h2>${fillPlain(words.counted, { count: String(sum) })}</h2>
    ${table(words.title, [endpoints.url, deliveries.title, endpoints.state], rows)}
    ${sum === 0 ? null : form(replayPath(visit), html`${formField()} ${asked} ${submit}`, 'inline')}
  </section>`;
}
