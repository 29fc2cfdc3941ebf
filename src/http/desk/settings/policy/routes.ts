import { getValidator } from '../../../../domain/api/validator.ts';
import { changePolicy, readPolicy } from '../../../../domain/merchants/settings.ts';
import { PolicyChoice } from '../../../../domain/payments/lifecycle/policy.ts';
import {
  actorOf,
  DESK_PER_MINUTE,
  type AtMerchant,
  type DeskReply,
  type DeskRoute,
} from '../../shell/route.ts';
import { attempt, readCaller } from '../../verbs.ts';
import { settingsPath } from '../shared/menu.ts';
import { enteredOf, policyPage, type EnteredPolicy } from './page.ts';

/** The schema of the API and of the command. */
const check = getValidator({ allowPrivate: false }).compile(PolicyChoice, 'policy');

const PATH = '/dashboard/:merchant/settings/policy';

export const policyRoutes: readonly DeskRoute[] = [
  {
    name: 'policy',
    method: 'get',
    path: PATH,
    access: 'member',
    right: 'payments:read',
    perMinute: DESK_PER_MINUTE,
    handle: async (visit) =>
      show(visit, enteredOf(await readPolicy(visit.ctx.db, visit.merchant.merchant_id)), null),
  },
  {
    name: 'set policy',
    method: 'post',
    path: PATH,
    access: 'member',
    right: 'settings:write',
    // Who may accept anything as paid takes goods for nothing.
    isFresh: true,
    perMinute: DESK_PER_MINUTE,
    async handle(visit) {
      const { ctx, merchant } = visit;
      const entered = formOf(visit);
      const set = await attempt(visit, async () =>
        changePolicy(ctx, merchant.merchant_id, check(choiceOf(entered)), actorOf(visit)),
      );
      if ('fault' in set) return show(visit, entered, set.fault);
      return { to: `${settingsPath(visit, 'policy')}?said=saved` };
    },
  },
];

const formOf = ({ field }: AtMerchant): EnteredPolicy => ({
  underpaid: field('underpaid'),
  tolerance: field('tolerance').trim(),
  late: field('late'),
  overpaid: field('overpaid'),
});

/** A comma is a decimal point in most of Europe. What is no number is refused by the schema. */
function choiceOf({ underpaid, tolerance, late, overpaid }: EnteredPolicy): Record<string, unknown> {
  const percent = tolerance === '' ? 0 : Number(tolerance.replace(',', '.'));
  return { underpaid, underpaid_tolerance_percent: percent, late, overpaid };
}

async function show(visit: AtMerchant, entered: EnteredPolicy, fault: string | null): Promise<DeskReply> {
  const { settlementCurrency: coin } = await readCaller(visit);
  return policyPage(visit, { entered, coin, fault });
}
