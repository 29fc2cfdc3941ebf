import { noteFirstStep } from '../../../../domain/merchants/first-steps.ts';
import { recordAct } from '../../../../domain/audit/record.ts';
import { storyBudget } from '../../../../domain/sandbox/budgets/budget.ts';
import { slotsOf } from '../../../../domain/sandbox/budgets/sandbox-slots.ts';
import { LIBRARY_NAMES, type LibraryName } from '../../../../domain/sandbox/scenarios/library-names.ts';
import { runScenario } from '../../../../domain/sandbox/scenarios/run.ts';
import type { Sandbox } from '../../../../domain/sandbox/test-clock/sandbox.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, hidden, table } from '../../shell/fields.ts';
import {
  acting,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
  type Page,
} from '../../shell/route.ts';
import { attempt, claimOf, formField, readCaller } from '../../verbs.ts';
import { DEVELOPERS, framed } from '../frame/frame.ts';

const OF_STORIES = {
  path: `${DEVELOPERS}/stories`,
  access: 'member',
  right: 'sandbox:write',
  perMinute: DESK_PER_MINUTE,
} as const;

/** The stories of the sandbox, which a click runs; null: there is no sandbox. Live merchants run none. */
export const storyRoutes = (sandbox: Sandbox | null): readonly DeskRoute[] => [
  {
    ...OF_STORIES,
    name: 'stories',
    method: 'get',
    handle: (visit: AtMerchant) => Promise.resolve(storiesPage(visit, sandbox !== null, null)),
  },
  {
    ...OF_STORIES,
    name: 'run story',
    method: 'post',
    handle: (visit: AtMerchant) => runStory(visit, sandbox),
  },
];

async function runStory(visit: AtMerchant, sandbox: Sandbox | null): Promise<DeskReply> {
  const { ctx, merchant } = visit;
  const { merchant_id: merchantId } = merchant;
  const story = LIBRARY_NAMES.find((name) => name === visit.field('story'));
  if (sandbox === null || merchant.mode !== 'test' || story === undefined)
    return storiesPage(visit, sandbox !== null, visit.texts.developers.stories.unknown);
  const caller = await readCaller(visit);
  const claim = claimOf(visit, 'stories');
  const budget = storyBudget('story', { isAbandoned: () => false });
  const run = await attempt(visit, () =>
    slotsOf(sandbox).clock.run(merchantId, () =>
      runScenario(ctx, sandbox, caller, { body: { story }, claim, budget }),
    ),
  );
  if ('fault' in run) return storiesPage(visit, true, run.fault);
  await noteFirstStep(ctx.db, 'story', { merchantId, now: ctx.systemNow() });
  const { payment } = JSON.parse(run.done.text) as { payment: { id: string } };
  const details = { merchant_id: merchantId, story, payment_id: payment.id };
  // A form that is sent again runs nothing.
  if (run.done.headers === undefined) await recordAct(acting(visit), ctx.db, 'story run', details);
  return { to: `/dashboard/${merchantId}/payments/${payment.id}` };
}

function storiesPage(visit: AtMerchant, isThere: boolean, fault: string | null): Page {
  const { stories: words } = visit.texts.developers;
  const isOpen = isThere && visit.merchant.mode === 'test';
  const rows = LIBRARY_NAMES.map((name) => rowOf(visit, name));
  return framed(visit, {
    title: words.title,
    fault,
    main: html`<section class="card">
      <p>${isOpen ? words.text : words.closed}</p>
      ${isOpen ? table(words.title, [words.story, words.what, words.run], rows) : null}
    </section>`,
  });
}

function rowOf(visit: AtMerchant, name: LibraryName): Html[] {
  const { stories: words } = visit.texts.developers;
  const run = button(words.run, { kind: 'quiet', name: `${words.run} ${name}` });
  return [
    html`<code>${name}</code>`,
    html`<span>${words.library[name]}</span>`,
    form(visit.path, html`${formField()} ${hidden('story', name)} ${run}`, 'inline'),
  ];
}
