import { Type, type Static } from 'typebox';
import { walletTransaction } from '../../chain/demand/wallet-uri.ts';
import type { ChainProfile } from '../../chain/profile.ts';
import { nullable, text, timestamp } from '../../api/schemas.ts';
import { AMOUNT_PATTERN, TEXT_PATTERN } from '../../api/patterns.ts';
import { AMOUNT_OR_PART, PART_FIELDS, Price } from '../pricing/price.ts';
import { isUnsigned, REFUND_STATUSES } from './states.ts';
import type { Refund } from './store.ts';

/** Longer than any address; longer text is refused without parsing. */
export const MAX_ADDRESS_LENGTH = 128;

export const RefundBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description: 'In pay_currency; default: everything that is left.',
      }),
    ),
    ...PART_FIELDS,
    reason: Type.Optional(text({ maxLength: 1000, description: "For the merchant's own records." })),
    address: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_ADDRESS_LENGTH,
        pattern: TEXT_PATTERN,
        description: "Where the money goes, on the refund's network; default: the customer's choice.",
      }),
    ),
    to_sender: Type.Optional(
      Type.Boolean({
        description:
          'The money goes to the address that it came from, when all of it came from one, in the coin and on ' +
          'the network of the refund. Where another address was given, here or by the customer, the ' +
          'response is a 409 that names it. Default: only for test payments, without another address.',
      }),
    ),
  },
  { additionalProperties: false, ...AMOUNT_OR_PART },
);
export type RefundBody = Static<typeof RefundBody>;

export const AnnounceBody = Type.Object(
  {
    tx_hash: Type.String({
      minLength: 1,
      maxLength: MAX_ADDRESS_LENGTH,
      pattern: TEXT_PATTERN,
      description: 'Of the transaction that pays the refund: 0x and 64 hex digits, on Bitcoin without 0x.',
    }),
  },
  { additionalProperties: false },
);

export const UnsignedRequest = Type.Object(
  {
    chainId: Type.String({ description: 'In hex.' }),
    to: Type.String({ description: 'The contract of a token; for a native coin the address of the refund.' }),
    data: Type.String({ description: 'The call: `transfer(address,uint256)`; `0x` for a native coin.' }),
    value: Type.String({ description: 'What is sent of the native coin, in its smallest unit, in hex.' }),
  },
  {
    description:
      'What you are to sign while the refund is AWAITING_SIGNATURE, as a wallet takes it ' +
      '(`eth_sendTransaction`), without the sender and fees. Absent where the signer of the operator pays it.',
  },
);

export const BitcoinRequest = Type.Object(
  {
    psbt: Type.String({
      description: 'A partially signed transaction (BIP174) in base64: it spends deposits of your wallet.',
    }),
  },
  { description: 'The same on Bitcoin: what you are to sign, and to send yourself.' },
);

export const RequestProblem = Type.Object(
  {
    code: Type.String({ description: 'For programs, such as fee_too_high: the contract lists them.' }),
    message: Type.String({ description: 'Why, and what to do.' }),
  },
  {
    description:
      'On Bitcoin, why there is no `request` while the refund is AWAITING_SIGNATURE; absent: there is one, ' +
      'or it is being made.',
  },
);

export const RefundProblem = Type.Object(
  {
    code: Type.String({ description: 'For programs, such as wrong_amount: the contract lists them.' }),
    message: Type.String({ description: 'What is wrong, in words.' }),
    tx_hash: Type.String({ description: 'The transaction.' }),
  },
  {
    description:
      'Why a transaction that was named last does not complete the refund; absent: nothing is wrong.',
  },
);

export const RefundResource = Type.Object({
  id: Type.String({ description: 'Refund identifier.' }),
  payment_id: Type.String({ description: 'The payment whose money goes back.' }),
  amount: Type.String({ description: 'In `currency`: what the payment is credited less.' }),
  currency: Type.String({ description: 'pay_currency of the payment.' }),
  status: Type.Enum([...REFUND_STATUSES], {
    description:
      'NEEDS_ADDRESS: the checkout page asks the customer where the money goes. AWAITING_SIGNATURE: you pay it, ' +
      'as `request` says where there is one. SENT: a transaction is announced or found. HELD: ask the operator before you pay ' +
      'again. COMPLETED: paid; of live payments once a transfer of it is final.',
  }),
  created_at: timestamp('When the refund was accepted.'),
  coin: Type.String({ description: 'The coin that is sent.' }),
  network: Type.String({ description: 'The network on which it is sent.' }),
  coin_amount: Type.String({ description: 'What is sent, in `coin`.' }),
  address: nullable(Type.String(), 'Null while nobody has said where the money goes.'),
  tx_hash: nullable(Type.String(), 'Null until the money is sent.'),
  reason: nullable(Type.String(), 'As it was given.'),
  price: Type.Optional(Price),
  request: Type.Optional(Type.Union([UnsignedRequest, BitcoinRequest])),
  request_problem: Type.Optional(RequestProblem),
  problem: Type.Optional(RefundProblem),
});
export type RefundResource = Static<typeof RefundResource>;

export const RefundAddress = Type.Object({
  address: Type.String({ description: 'On `network`, as the customer confirmed it.' }),
  network: Type.String({ description: 'On which money goes back there.' }),
  given_at: nullable(timestamp(), 'When it was confirmed. Null: before the service kept the time.'),
});
export type RefundAddress = Static<typeof RefundAddress>;

export const RefundList = Type.Object({
  data: Type.Array(RefundResource),
  refund_address: nullable(
    RefundAddress,
    'Where the customer wants money back, as they said on the checkout page; the latest, where they gave ' +
      'one on several networks. Null: they gave none.',
  ),
});
export type RefundList = Static<typeof RefundList>;

/** What is known of the request of a refund on Bitcoin. */
export interface MadeRequest {
  readonly address: string | null;
  readonly psbt: Buffer | null;
  readonly problem: Static<typeof RequestProblem> | null;
}

/** Returns a refund in the API's shape. */
export function toRefundResource(
  refund: Refund,
  chains: ChainProfile,
  made: MadeRequest | null = null,
): RefundResource {
  const isMade = made !== null && isUnsigned(refund.status) && made.address === refund.address;
  const problem = made !== null && isUnsigned(refund.status) ? made.problem : null;
  const request =
    isMade && made.psbt !== null && problem === null
      ? { psbt: made.psbt.toString('base64') }
      : requestOf(refund, chains);
  return {
    id: refund.id,
    payment_id: refund.payment_id,
    amount: refund.amount,
    currency: refund.currency,
    status: refund.status,
    created_at: refund.created_at.toISOString(),
    coin: refund.coin,
    network: refund.network,
    coin_amount: refund.coin_amount,
    address: refund.address,
    tx_hash: refund.tx_hash,
    reason: refund.reason,
    ...(refund.price === null ? {} : { price: refund.price }),
    ...(request === null ? {} : { request }),
    ...(problem === null ? {} : { request_problem: problem }),
    ...(refund.problem === null ? {} : { problem: refund.problem }),
  };
}

/** Returns what the merchant is to sign; null: nothing, as far as is known. */
function requestOf(refund: Refund, chains: ChainProfile): Static<typeof UnsignedRequest> | null {
  const { status, coin, network, address, coin_amount: amount, offered_at } = refund;
  if (
    !isUnsigned(status) ||
    offered_at !== null ||
    address === null ||
    chains.contractOf(coin, network) === undefined
  )
    return null;
  const transaction = walletTransaction({ coin, network, address, amount, chains });
  if (transaction === null) return null;
  const { chain: chainId, to, data, value } = transaction;
  return { chainId, to, data, value };
}
