import { Type, type Static } from 'typebox';
import { NETWORK_IDS } from '../chain/networks.ts';
import { WALLET_KIND_IDS } from '../chain/wallets/kinds.ts';
import { CursorPagination, nullable, timestamp } from '../api/schemas.ts';

export const WALLET_STATES = ['pending', 'in_use', 'retired', 'refused'] as const;

export const WalletResource = Type.Object({
  id: Type.String({ description: 'Wallet identifier.' }),
  kind: Type.Enum([...WALLET_KIND_IDS], {
    description:
      'xpub: addresses are children of an extended public key, on Bitcoin those of BIP84. forwarder: each is a ' +
      'contract that can pay the treasury alone, and that nobody has audited.',
  }),
  state: Type.Enum([...WALLET_STATES], {
    description:
      'pending: its addresses are not confirmed yet. in_use: new live payments go there. retired: they no ' +
      'longer do; money that comes to its addresses is still seen. refused: it is not as the operator stored it, and ' +
      'live payments that need it get 503.',
  }),
  networks: Type.Array(Type.Enum([...NETWORK_IDS]), { description: 'Where it takes money.' }),
  unaudited: Type.Boolean({ description: 'Money passes a contract that nobody has audited.' }),
  public_key: nullable(
    Type.String(),
    'The extended public key, shortened to what distinguishes it; null: the kind has none.',
  ),
  treasury: nullable(Type.String(), 'The address that forwarders pay; null: the kind has none.'),
  created_at: timestamp('When it was set.'),
  confirmed_at: nullable(timestamp(), 'When its addresses were confirmed; null: they were not.'),
  retired_at: nullable(timestamp(), 'Null: it is not retired.'),
});
export type WalletResource = Static<typeof WalletResource>;

export const WalletList = Type.Object({
  data: Type.Array(WalletResource),
  pagination: CursorPagination,
});
export type WalletList = Static<typeof WalletList>;
