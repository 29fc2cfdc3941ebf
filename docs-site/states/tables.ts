import { html, type Html } from '../../src/platform/pages/html.ts';
import {
  EXCEPTIONS,
  STATUSES,
  TRANSITIONS,
  type Status,
  type Transition,
  type Trigger,
} from '../../src/domain/payments/lifecycle/states.ts';
import { addressOfEvent } from '../reference/addresses.ts';
import { renderLine } from '../markdown/render.ts';
import { code, heading, joined, table } from '../markdown/elements.ts';
import { anchorOfStatus } from './diagram.ts';
import { EXCEPTION_MEANINGS, STATUS_MEANINGS, TRIGGER_MEANINGS } from './meanings.ts';

/** Every status under a heading of its own: its meaning, and where it leads. */
export function statuses(): Html {
  return html`${STATUSES.map(
    (status) =>
      html`${heading(3, anchorOfStatus(status), code(status))}
        <p>${renderLine(STATUS_MEANINGS[status])}</p>
        ${nextOf(status)}`,
  )}`;
}

function nextOf(status: Status): Html | null {
  const next = rows().filter(({ from, to }) => to !== null && to !== status && from.includes(status));
  const ends = STATUSES.filter((other) => next.some(({ to }) => to === other));
  return ends.length === 0 ? null : html`<p>Next: ${joined(ends.map(linkToStatus), ', ')}.</p>`;
}

/** The transition table, which says what the drawing shows, in words. */
export function transitions(): Html {
  return table(
    ['Trigger', 'From', 'To', 'Event', 'When'],
    rows().map(({ trigger, from, to, event }) => [
      code(trigger),
      joined(from.map(linkToStatus), ', '),
      to === null ? 'unchanged' : linkToStatus(to),
      html`<a href="${addressOfEvent(event)}">${code(event)}</a>`,
      renderLine(TRIGGER_MEANINGS[trigger]),
    ]),
  );
}

/** Every exception and its meaning. */
export function exceptions(): Html {
  return table(
    ['Exception', 'Meaning'],
    EXCEPTIONS.map((exception) => [code(exception), renderLine(EXCEPTION_MEANINGS[exception])]),
  );
}

const linkToStatus = (status: Status): Html =>
  html`<a href="/docs/states#${anchorOfStatus(status)}">${status}</a>`;

function rows(): readonly (Transition & { readonly trigger: Trigger })[] {
  return Object.entries<Transition>(TRANSITIONS).map(([trigger, transition]) => ({
    ...transition,
    trigger: trigger as Trigger,
  }));
}
