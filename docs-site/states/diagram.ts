import { html, type Html } from '../../src/platform/pages/html.ts';
import {
  STATUSES,
  TRANSITIONS,
  type Status,
  type Transition,
} from '../../src/domain/payments/lifecycle/states.ts';
import { routeOf, type Place } from './route.ts';

/** Where each status stands: the way of a payment that goes well is the left column. */
const PLACES: Readonly<Record<Status, Place>> = {
  WAITING: { column: 0, row: 0 },
  PENDING: { column: 0, row: 1 },
  PROCESSING: { column: 0, row: 2 },
  SETTLED: { column: 0, row: 3 },
  EXPIRED: { column: 1, row: 1 },
  FAILED: { column: 1, row: 2 },
  REFUNDED: { column: 1, row: 3 },
};

const SIZE = { width: 900, height: 560 };
const NODE = { width: 132, height: 44 };
const LINE_HEIGHT = 16;

/** The centre of a status, in the units of the drawing. */
const centreOf = ({ column, row }: Place) => ({ x: 268 + column * 325, y: 60 + row * 147 });

/** An arrow from one status to another, with every trigger that moves a payment along it. */
export interface Arrow {
  readonly from: Status;
  readonly to: Status;
  readonly triggers: readonly string[];
}

/** The arrows of the transition table. A trigger that changes no status has none. */
export function arrowsOf(transitions: Readonly<Record<string, Transition>>): readonly Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const [trigger, { from, to }] of Object.entries(transitions))
    for (const status of to === null ? [] : from) {
      const key = `${status} ${to}`;
      const triggers = [...(arrows.get(key)?.triggers ?? []), trigger];
      if (to !== null) arrows.set(key, { from: status, to, triggers });
    }
  return [...arrows.values()];
}

/** The states of a payment as a drawing, from the transition table; each status links to its meaning. */
export function diagram(): Html {
  const arrows = arrowsOf(TRANSITIONS);
  const isBothWays = ({ from, to }: Arrow) => arrows.some((other) => other.from === to && other.to === from);
  return html`<figure class="drawing">
    <figcaption class="small">The drawing is wider than the window: scroll it sideways.</figcaption>
    <div class="wide" tabindex="0">
      <svg
        viewBox="0 0 ${SIZE.width} ${SIZE.height}"
        width="${SIZE.width}"
        height="${SIZE.height}"
        class="states"
        role="group"
        aria-label="The states of a payment, as in the table of transitions below"
      >
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="8"
            markerHeight="8"
            orient="auto"
          >
            <path d="M0 0L10 5L0 10z" />
          </marker>
        </defs>
        ${arrows.map((arrow) => drawn(arrow, isBothWays(arrow)))}${STATUSES.map(node)}
      </svg>
    </div>
  </figure>`;
}

function drawn({ from, to, triggers }: Arrow, isBothWays: boolean): Html {
  const beside = { column: PLACES[to].column, row: PLACES[from].row };
  const isFreeBeside = !Object.values(PLACES).some(
    ({ column, row }) => column === beside.column && row === beside.row,
  );
  const places = { from: PLACES[from], to: PLACES[to], centreOf, node: NODE, isFreeBeside };
  const textHeight = (triggers.length - 1) * LINE_HEIGHT;
  const { path, label, anchor } = routeOf({ ...places, textHeight }, isBothWays);
  const lines = triggers.map(
    (trigger, index) => html`<tspan x="${label.x}" dy="${index === 0 ? 0 : LINE_HEIGHT}">${trigger}</tspan>`,
  );
  const y = label.y - textHeight / 2;
  return html`<path class="arrow" d="${path}" marker-end="url(#arrow)" />
    <text x="${label.x}" y="${y}" text-anchor="${anchor}">${lines}</text>`;
}

function node(status: Status): Html {
  const { x, y } = centreOf(PLACES[status]);
  const { width, height } = NODE;
  return html`<a href="#${anchorOfStatus(status)}"
    ><rect x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="10" /><text
      class="status-name"
      x="${x}"
      y="${y + 5}"
      text-anchor="middle"
      >${status}</text
    ></a
  >`;
}

/** The id of a status's heading. */
export function anchorOfStatus(status: Status): string {
  return status.toLowerCase();
}
