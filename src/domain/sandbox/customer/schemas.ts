import { Type, type Static } from 'typebox';
import { timestamp } from '../../api/schemas.ts';
import { COIN_IDS } from '../../chain/coins.ts';
import { FITTING_METHOD } from '../../chain/fitting-method.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import { AMOUNT_PATTERN } from '../../api/patterns.ts';

export const SendTransferBody = Type.Object(
  {
    amount: Type.Optional(
      Type.String({
        pattern: AMOUNT_PATTERN,
        description:
          "In units of the coin, with at most the coin's decimals on its network; default: what is still missing.",
      }),
    ),
    coin: Type.Optional(Type.Enum([...COIN_IDS], { description: "Default: the payment's coin." })),
    network: Type.Optional(Type.Enum([...NETWORK_IDS], { description: "Default: the payment's network." })),
  },
  { additionalProperties: false, ...FITTING_METHOD },
);
export type SendTransferBody = Static<typeof SendTransferBody>;

export const TransferResource = Type.Object({
  payment_id: Type.String({ description: 'The payment that it pays.' }),
  tx_hash: Type.String({ description: 'The transaction.' }),
  coin: Type.String({ description: 'The coin that was sent.' }),
  network: Type.String({ description: 'The network on which it was sent.' }),
  address: Type.String({ description: "The payment's address there." }),
  amount: Type.String({ description: 'In coin.' }),
  sent_at: timestamp("In the payment's time."),
});
export type TransferResource = Static<typeof TransferResource>;

export const ReplaceTransferBody = Type.Object(
  {
    transfer: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Which one: 1 is the first that was sent; default: the latest that stands.',
      }),
    ),
    speed_up: Type.Optional(
      Type.Boolean({
        description:
          'true: the replacement pays the same address, as a wallet\'s "speed up" does; default false: the ' +
          'money is spent elsewhere.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type ReplaceTransferBody = Static<typeof ReplaceTransferBody>;

export const ReplacedTransfer = Type.Object({
  payment_id: Type.String({ description: 'The payment that it would have paid.' }),
  tx_hash: Type.String({ description: 'Of the transfer that will never arrive.' }),
  coin: Type.String({ description: 'The coin that was sent.' }),
  network: Type.String({ description: 'The network on which it was sent.' }),
  amount: Type.String({ description: 'In coin.' }),
  replaced_by: Type.String({ description: 'The transaction that spends the money instead.' }),
  replaced_at: timestamp("In the payment's time."),
});
export type ReplacedTransfer = Static<typeof ReplacedTransfer>;

const RATE = Type.Union([Type.String({ pattern: AMOUNT_PATTERN, maxLength: 20 }), Type.Null()], {
  description: 'In US dollars; null: its fixed price.',
});

export const RatesBody = Type.Object(
  {
    rates: Type.Object(Object.fromEntries(COIN_IDS.map((coin) => [coin, Type.Optional(RATE)])), {
      additionalProperties: false,
      description: 'US dollars per coin; null: the price of the simulated market again.',
    }),
  },
  { additionalProperties: false },
);
export type RatesBody = Static<typeof RatesBody>;

export const RatesResource = Type.Object({
  rates: Type.Object(
    Object.fromEntries(COIN_IDS.map((coin) => [coin, Type.String({ description: 'In US dollars.' })])),
    { description: "Every coin's price for the merchant's test payments." },
  ),
});
export type RatesResource = Static<typeof RatesResource>;
