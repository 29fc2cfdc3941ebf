import { Type, type Static } from 'typebox';
import { divide, multiply, subtract } from '../../../platform/values/money.ts';

const parts = {
  underpaid: Type.Enum(['wait', 'accept'], {
    description:
      'wait: for the rest, until the deadline. ' +
      'accept: what is short by at most the tolerance counts as paid.',
  }),
  underpaid_tolerance_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'Only with underpaid: accept.',
  }),
  late: Type.Enum(['honour', 'refund'], {
    description:
      'What happens with money that comes after the deadline. honour: it counts for 24 hours. ' +
      'refund: an expired payment is sent back whole.',
  }),
  overpaid: Type.Enum(['keep', 'refund_excess'], {
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
  if (policy.underpaid === 'wait') return payAmount;
  // Four decimals of a percent; a number such as 1e-7 would not be a decimal string.
  const tolerated = divide(
    multiply(payAmount, policy.underpaid_tolerance_percent.toFixed(4)),
    '100',
    18,
    'down',
  );
  return subtract(payAmount, tolerated);
}
