import { readFirstSteps, type FirstSteps } from '../../../../domain/merchants/first-steps.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { DESK_PER_MINUTE, type AtMerchant, type DeskRoute, type Page } from '../../shell/route.ts';
import { DEVELOPERS, developersPath, framed } from '../frame/frame.ts';

/** The way to a first webhook, as in the documentation. Each step ticks itself, from what is stored. */
const STEPS = [
  { step: 'has_used_key', path: '/keys', right: 'keys:write' },
  { step: 'has_created_payment', path: null, docs: '/docs/quick-start' },
  { step: 'has_endpoint', path: '/endpoints', right: 'webhooks:read' },
  { step: 'has_delivered', path: '/deliveries', right: 'webhooks:read' },
  { step: 'has_refused_forgeries', path: '/check', right: 'webhooks:write' },
  { step: 'has_run_story', path: '/stories', right: 'sandbox:write', testOnly: true },
] as const satisfies readonly { step: keyof FirstSteps; path: string | null; [more: string]: unknown }[];

export const startRoutes: readonly DeskRoute[] = [
  {
    name: 'developers',
    method: 'get',
    path: DEVELOPERS,
    access: 'member',
    right: 'webhooks:read',
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const done = await readFirstSteps(visit.ctx.db, visit.merchant.merchant_id);
      return done === null ? 'missing' : startPage(visit, done);
    },
  },
];

function startPage(visit: AtMerchant, done: FirstSteps): Page {
  const { start: words, nav } = visit.texts.developers;
  const steps = STEPS.filter((step) => !('testOnly' in step) || visit.merchant.mode === 'test');
  const count = String(steps.filter(({ step }) => done[step]).length);
  return framed(visit, {
    title: nav.start,
    main: html`<section class="card">
      <p>${words.text} <a href="/docs/receive-webhooks">${words.docs}</a></p>
      <p role="status">${fillPlain(words.count, { count, of: String(steps.length) })}</p>
      <ol class="check-list">
        ${steps.map((step) => stepOf(visit, step, done[step.step]))}
      </ol>
    </section>`,
  });
}

function stepOf(visit: AtMerchant, step: (typeof STEPS)[number], isDone: boolean): Html {
  const { start: words } = visit.texts.developers;
  const { title, text } = words.steps[step.step];
  const to = placeOf(visit, step);
  return html`<li class="${isDone ? 'done' : 'open'}">
    <span class="tick" aria-hidden="true">${isDone ? '✓' : ''}</span>
    <div>
      <p>
        ${to === null ? html`<strong>${title}</strong>` : html`<a href="${to}">${title}</a>`}
        <span class="small">${isDone ? words.done : words.open}</span>
      </p>
      <p class="small">${text}</p>
    </div>
  </li>`;
}

/** Where a step is done; null: not by this person. */
function placeOf(visit: AtMerchant, step: (typeof STEPS)[number]): string | null {
  if (step.path === null) return step.docs;
  return may(visit.merchant.role, step.right) ? `${developersPath(visit)}${step.path}` : null;
}
