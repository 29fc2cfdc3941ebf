import { Type, type Static } from 'typebox';
import { divide, multiply, subtract } from '../../../platform/values/money.ts';

/** What each choice of a policy means; a new one must say it. */
const POLICY_TRAITS = {
  underpaid: { wait: { toleratesShortfall: false }, accept: { toleratesShortfall: true } },
  late: {
    honour: { paysForOrder: true, isReturned: false },
    refund: { paysForOrder: false, isReturned: true },
  },
  overpaid: { keep: { isReturned: false }, refund_excess: { isReturned: true } },
} as const;

/** The choices of a part of the policy, in the table's order. */
const choicesOf = <Choice extends string>(traits: Readonly<Record<Choice, object>>): Choice[] =>
  Object.keys(traits) as Choice[];

const parts = {
  underpaid: Type.Enum(choicesOf(POLICY_TRAITS.underpaid), {
    description:
      'wait: for the rest, until the deadline. ' +
      'accept: what is short by at most the tolerance counts as paid.',
  }),
  underpaid_tolerance_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Only with underpaid: accept.',
  }),
  late: Type.Enum(choicesOf(POLICY_TRAITS.late), {
    description:
      'What happens with money that comes after the deadline. honour: it counts for 24 hours. ' +
      'refund: an expired payment is sent back whole.',
  }),
  overpaid: Type.Enum(choicesOf(POLICY_TRAITS.overpaid), {
    description: 'What happens, after settlement, with what was too much.',
  }),
};

/** What happens when a customer pays too little, too late or too much. */
export const Policy = Type.Object(parts, { additionalProperties: false });
export type Policy = Static<typeof Policy>;

/** The parts that a request or a merchant sets; the rest is the merchant's or the service's default. */
export const PolicyChoice = Type.Partial(Policy, { additionalProperties: false });
export type PolicyChoice = Static<typeof PolicyChoice>;

const DEFAULT_POLICY: Policy = {
  underpaid: 'wait',
  underpaid_tolerance_percent: 0,
  late: 'honour',
  overpaid: 'keep',
};

/** Returns the policy of a new payment: the request's choice, then the merchant's, then the service's. */
export function policyOf(merchant: PolicyChoice, request: PolicyChoice = {}): Policy {
  return { ...DEFAULT_POLICY, ...merchant, ...request };
}

/** Returns the smallest amount that counts as paid in full. */
export function minimumAccepted(payAmount: string, policy: Policy): string {
  if (!POLICY_TRAITS.underpaid[policy.underpaid].toleratesShortfall) return payAmount;
  // Four decimals of a percent; a number such as 1e-7 would not be a decimal string.
  const tolerated = divide(
    multiply(payAmount, policy.underpaid_tolerance_percent.toFixed(4)),
    '100',
    18,
    'down',
  );
  return subtract(payAmount, tolerated);
}

/** True when late money pays for the order within its window. */
export const honoursLate = ({ late }: Policy): boolean => POLICY_TRAITS.late[late].paysForOrder;

/** True when late money goes back. */
export const returnsLate = ({ late }: Policy): boolean => POLICY_TRAITS.late[late].isReturned;

/** True when what is too much goes back after settlement. */
export const returnsExcess = ({ overpaid }: Policy): boolean => POLICY_TRAITS.overpaid[overpaid].isReturned;

/** SQL: the policy of the payment in the row `p` returns late money. */
export const RETURNS_LATE = (p: string): string =>
  `${p}.policy->>'late' IN (${choicesThat(POLICY_TRAITS.late)})`;

/** SQL: the policy of the payment in the row `p` returns what is too much. */
export const RETURNS_EXCESS = (p: string): string =>
  `${p}.policy->>'overpaid' IN (${choicesThat(POLICY_TRAITS.overpaid)})`;

function choicesThat(traits: Readonly<Record<string, { readonly isReturned: boolean }>>): string {
  const returning = Object.entries(traits).filter(([, { isReturned }]) => isReturned);
  return returning.map(([choice]) => `'${choice}'`).join(', ');
}
