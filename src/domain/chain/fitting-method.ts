import { COIN_IDS, COINS_ON_NETWORKS, type CoinId } from './coins.ts';
import type { NetworkId } from './networks.ts';

/**
 * The part of an object's schema that lets its `coin` and its `network` only be a coin and a network on which
 * it exists (JSON Schema: `allOf` of `if` and `then`, one for each coin). Where one of the two is missing it
 * allows everything. The object declares both properties itself, and may not be one of `anyOf`: each fault
 * then names `network`, and the networks that fit.
 */
export const FITTING_METHOD = {
  allOf: COIN_IDS.map((coin) => ({
    if: { properties: { coin: { const: coin } }, required: ['coin'] },
    then: { properties: { network: { enum: networksOf(coin) } } },
  })),
};

/** The networks on which a coin exists. */
function networksOf(coin: CoinId): readonly NetworkId[] {
  return COINS_ON_NETWORKS.filter((method) => method.coin === coin).map(({ network }) => network);
}
