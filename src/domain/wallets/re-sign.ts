import { macFault, macOf } from '../chain/wallets/mac.ts';
import { listWallets } from '../chain/wallets/store.ts';
import type { Context } from '../../platform/context.ts';
import { reSignAddresses } from '../exchange/addresses.ts';
import { run, sql } from '../../platform/postgres/db.ts';
import { keyIdOf } from '../../platform/values/ids.ts';

interface NewMac {
  readonly id: string;
  readonly before: Buffer;
  readonly mac: Buffer;
  readonly keyId: string;
}

// A row that was changed since it was read keeps its MAC.
const replaceMac = sql<{ id: string }, NewMac>(
  'replace_mac_of_wallet',
  (p) => `
    UPDATE wallets SET mac = ${p.mac}, key_id = ${p.keyId}
    WHERE id = ${p.id} AND mac = ${p.before} RETURNING id`,
);

/**
 * Makes the MAC of each wallet that has one under another key with the first key of SECRETS_KEY, and of each
 * deposit address at an exchange: afterwards no other key is needed. One whose MAC is wrong keeps it, and is
 * still refused. Returns how many.
 */
export async function reSignWallets({ db, config }: Pick<Context, 'db' | 'config'>): Promise<number> {
  const [first] = config.secretsKeys;
  let count = first === undefined ? 0 : await reSignAddresses({ db, config });
  for (const wallet of await listWallets(db, null)) {
    if (first === undefined || wallet.key_id === keyIdOf(first) || macFault(config, wallet) !== null)
      continue;
    const { mac, key_id: keyId } = macOf(config, wallet);
    count += (await run(db, replaceMac, { id: wallet.id, before: wallet.mac, mac, keyId })).length;
  }
  return count;
}
