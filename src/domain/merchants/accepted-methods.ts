import { isCoin, isCoinOn, type CoinId } from '../chain/coins.ts';
import { isNetwork, type NetworkId } from '../chain/networks.ts';
import { runOne, sql, type Connection } from '../../platform/postgres/db.ts';

/** What a merchant accepts beside the settlement coin. */
export interface AcceptedMethod {
  readonly coin: CoinId;
  readonly network: NetworkId;
}

/** Reads `ETH/ethereum,USDC/polygon`; `none`: nothing. Throws RangeError for what no coin is on. */
export function acceptedMethodsOf(text: string): AcceptedMethod[] {
  const named = [...new Set(text.split(',').map((method) => method.trim()))];
  if (named.join() === 'none') return [];
  return named.map((method) => {
    const [coin = '', network = '', ...rest] = method.split('/');
    if (!isCoin(coin) || !isNetwork(network) || !isCoinOn(coin, network) || rest.length > 0)
      throw new RangeError(`--methods: ${method} is no COIN/NETWORK such as ETH/ethereum`);
    return { coin, network };
  });
}

const acceptedMethods = sql<{ accepted_methods: readonly AcceptedMethod[] }, { merchantId: string }>(
  'accepted_methods_of_merchant',
  (p) => `SELECT accepted_methods FROM merchants WHERE id = ${p.merchantId}`,
);

/** Returns what the merchant's live payments take beside the settlement coin. */
export async function readAcceptedMethods(
  connection: Connection,
  merchantId: string,
): Promise<readonly AcceptedMethod[]> {
  return (await runOne(connection, acceptedMethods, { merchantId }))?.accepted_methods ?? [];
}

const updateAcceptedMethods = sql<{ id: string }, { merchantId: string; methods: string }>(
  'set_accepted_methods_of_merchant',
  (p) => `UPDATE merchants SET accepted_methods = ${p.methods} WHERE id = ${p.merchantId} RETURNING id`,
);

/**
 * Sets what the merchant's live payments take beside the settlement coin, where nothing is converted; also
 * those that are open. Throws RangeError for an unknown merchant.
 */
export async function setAcceptedMethods(
  connection: Connection,
  merchantId: string,
  methods: readonly AcceptedMethod[],
): Promise<void> {
  const updated = await runOne(connection, updateAcceptedMethods, {
    merchantId,
    methods: JSON.stringify(methods),
  });
  if (updated === null) throw new RangeError(`There is no merchant ${merchantId}`);
}
