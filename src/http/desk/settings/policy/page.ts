import { may } from '../../../../domain/people/rights/roles.ts';
import {
  minimumAccepted,
  policyOf,
  type PolicyChoice,
} from '../../../../domain/payments/lifecycle/policy.ts';
import { fillPlain, html, type Html } from '../../../../platform/pages/html.ts';
import { subtract, writtenLike } from '../../../../platform/values/money.ts';
import { button, field, form } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { radios } from '../shared/inputs.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';

/** The price of the examples. */
const PRICE = '100.00';
/** The tolerance of the example where the merchant has none. */
const USUAL_PERCENT = 2;

/** What a form says, also where it is wrong. */
export interface EnteredPolicy {
  readonly underpaid: string;
  readonly tolerance: string;
  readonly late: string;
  readonly overpaid: string;
}

/** A stored policy as its form says it. */
export function enteredOf(policy: PolicyChoice): EnteredPolicy {
  const { underpaid, underpaid_tolerance_percent: percent, late, overpaid } = policyOf(policy);
  return { underpaid, tolerance: String(percent), late, overpaid };
}

/** What happens with money that is not what was asked for; owners change it. */
export function policyPage(
  visit: AtMerchant,
  { entered, coin, fault }: { entered: EnteredPolicy; coin: string; fault: string | null },
): Page {
  const { policy: texts, save, ownersOnly } = visit.texts.settings;
  const isOwner = may(visit.merchant.role, 'settings:write');
  const fields = html`<p>${texts.intro}</p>
    ${underpaid(visit, entered, coin, isOwner)} ${rest(visit, entered, coin, isOwner)}
    ${isOwner ? button(save) : html`<p class="small">${ownersOnly}</p>`}`;
  const main = html`<section class="card">${form(settingsPath(visit, 'policy'), fields)}</section>`;
  return settingsPage(visit, 'policy', { main, fault });
}

function underpaid({ texts }: AtMerchant, entered: EnteredPolicy, coin: string, isOwner: boolean): Html {
  const { legend, wait, accept, tolerance, toleranceHint } = texts.settings.policy.underpaid;
  const typed = Number(entered.tolerance);
  const percent = typed > 0 && typed < 100 ? typed : USUAL_PERCENT;
  const least = minimumAccepted(
    PRICE,
    policyOf({ underpaid: 'accept', underpaid_tolerance_percent: percent }),
  );
  const figures = {
    price: PRICE,
    coin,
    percent: String(percent),
    least: writtenLike(least, PRICE),
    less: writtenLike(subtract(PRICE, '2.00'), PRICE),
  };
  const more = field({
    name: 'tolerance',
    label: tolerance,
    value: entered.tolerance,
    hint: toleranceHint,
    isOptional: true,
  });
  return radios(
    { name: 'underpaid', legend, value: entered.underpaid, isOff: !isOwner },
    [
      { value: 'wait', ...wait, example: fillPlain(wait.example, figures) },
      { value: 'accept', ...accept, example: fillPlain(accept.example, figures) },
    ],
    html`<div class="narrow">${more}</div>`,
  );
}

function rest({ texts }: AtMerchant, entered: EnteredPolicy, coin: string, isOwner: boolean): Html {
  const { late, overpaid } = texts.settings.policy;
  const figures = { price: PRICE, coin };
  const choice = <Value extends string>(
    value: Value,
    said: { readonly label: string; readonly text: string; readonly example: string },
  ) => ({ value, ...said, example: fillPlain(said.example, figures) });
  return html`${radios(
    { name: 'overpaid', legend: overpaid.legend, value: entered.overpaid, isOff: !isOwner },
    [choice('keep', overpaid.keep), choice('refund_excess', overpaid.refund_excess)],
  )}
  ${radios({ name: 'late', legend: late.legend, value: entered.late, isOff: !isOwner }, [
    choice('honour', late.honour),
    choice('refund', late.refund),
  ])}`;
}
