import { run, sql } from '../../platform/postgres/db.ts';
import { isCoin, type CoinId } from '../chain/coins.ts';
import type { NetworkId } from '../chain/networks.ts';
import type { AddressBooks } from '../chain/wallets/address-book.ts';
import { giveAddressBack, takeAddress } from './addresses.ts';

interface OwnAddress {
  readonly network: NetworkId;
  readonly address: string;
  readonly coin: CoinId;
  readonly coins: readonly CoinId[];
}

const addressesOfPayment = sql<OwnAddress, { paymentId: string }>(
  'exchange_addresses_of_payment',
  (p) => `
    SELECT q.network, q.address, q.coin, a.coins
    FROM quotes q JOIN exchange_addresses a ON a.network = q.network AND a.address = q.address
    WHERE q.payment_id = ${p.paymentId}`,
);

/**
 * The addresses of payments that take money at their merchant's account at an exchange: one for a coin on a
 * network, or for several coins where the exchange takes them at one. `underWay` are the statuses of payments
 * that hold theirs.
 */
export function exchangeBooks(underWay: readonly string[]): AddressBooks {
  return {
    async open(ctx, { merchantId, settlementCurrency: coin, exchange }, network) {
      if (!isCoin(coin) || exchange === undefined) throw new Error(`${merchantId} has no exchange account`);
      const address = await takeAddress(ctx, { merchantId, coin, network, underWay });
      return {
        wallet_id: null,
        deposit_index: null,
        exchange,
        derive: (asked) => (asked === network ? address : null),
        giveBack: () => giveAddressBack(ctx.db, network, address),
      };
    },
    async of(ctx, payment, wanted) {
      const own = await run(ctx.db, addressesOfPayment, { paymentId: payment.id });
      const find = (network: NetworkId, coin?: CoinId) =>
        own.find((one) => one.network === network && one.coin === coin) ??
        own.find((one) => one.network === network && (coin === undefined || one.coins.includes(coin)));
      const known = (network: NetworkId, coin?: CoinId) => find(network, coin)?.address ?? null;
      if (wanted === undefined || known(wanted.network, wanted.coin) !== null)
        return { derive: (network, _deposit, coin) => known(network, coin) };
      const address = await takeAddress(ctx, { merchantId: payment.merchant_id, ...wanted, underWay });
      return {
        derive: (network, _deposit, coin) =>
          network === wanted.network && coin === wanted.coin ? address : known(network, coin),
        giveBack: () => giveAddressBack(ctx.db, wanted.network, address),
      };
    },
  };
}
