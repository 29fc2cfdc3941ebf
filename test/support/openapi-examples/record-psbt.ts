import { CHAINS } from '../../../src/domain/chain/bitcoin/options.ts';
import { scriptOf } from '../../../src/domain/chain/bitcoin/scripts.ts';
import { buildPsbt } from '../../../src/domain/chain/bitcoin/spending/psbt.ts';
import { openAccountKeys } from '../../../src/domain/chain/wallets/bitcoin/account-keys.ts';
import type { Harness } from '../harness.ts';
import { BIP84 } from '../wallets.ts';
import type { Tape } from './tape.ts';

/** The same refund as one on Bitcoin would be. */
export async function recordPsbt(
  { tape, harness }: { readonly tape: Tape; readonly harness: Harness },
  id: string,
  part: string,
): Promise<void> {
  const { db } = harness.ctx;
  const [before] = await db('refunds')
    .where({ id: part })
    .select('coin', 'network', 'coin_amount', 'address');
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const onBitcoin = { coin: 'BTC', network: 'bitcoin', coin_amount: '0.002', address };
  await db('refunds')
    .where({ id: part })
    .update({ ...onBitcoin, status: 'AWAITING_SIGNATURE', tx_hash: null });
  const { receiving, change } = openAccountKeys(JSON.stringify(ACCOUNT));
  const coin = { txHash: 'ab'.repeat(32), index: 1, satoshi: 500_000n, key: receiving(7), made: null };
  const psbt = buildPsbt(
    [coin],
    [
      { script: scriptOf(address, CHAINS.main), satoshi: 200_000n },
      { script: change(0).script, satoshi: 298_592n, key: change(0) },
    ],
  );
  const row = { refund_id: part, wallet_id: 'wal_1', address, psbt, due_at: harness.ctx.now() };
  await db('refund_psbts').insert(row);
  await tape.record(harness, 'listRefunds', 'psbt', 'A refund on Bitcoin that you have to sign.', { id });
  await db('refund_psbts').where({ refund_id: part }).delete();
  await db('refunds')
    .where({ id: part })
    .update({ ...before });
}

/** The account of the test vectors of BIP-84. */
const ACCOUNT = { chain: 'main', key: BIP84.zpub, fingerprint: '73c5da0a' };
