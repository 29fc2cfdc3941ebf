import { Type, type Static } from 'typebox';
import { timestamp } from '../../../platform/schemas.ts';
import { AMOUNT_PATTERN, TEXT_PATTERN } from '../../../platform/validator.ts';

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'In pay_currency; default: everything that is left.',
      }),
    ),
    reason: Type.Optional(
      Type.String({
        pattern: TEXT_PATTERN,
        maxLength: 1000,
        description: "For the merchant's own records.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type RefundBody = Static<typeof RefundBody>;

export const RefundResource = Type.Object({
  id: Type.String(),
  payment_id: Type.String(),
  amount: Type.String(),
  currency: Type.String(),
  status: Type.Enum(['PENDING', 'COMPLETED']),
  created_at: timestamp('When the refund was asked for.'),
});
export type RefundResource = Static<typeof RefundResource>;
