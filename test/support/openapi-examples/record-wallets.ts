import { accountKey, addWallet, useWallet } from '../wallets.ts';
import type { Run } from './record-payments.ts';

/** Lists wallets that the operator has set: one that is in use, and one that is not confirmed yet. */
export async function recordWallets({ tape, harness }: Run): Promise<void> {
  const { ctx, merchant } = harness;
  await useWallet(ctx, merchant.id, { kind: 'forwarder' });
  harness.advance(60);
  await addWallet(ctx, merchant.id, { value: accountKey(0) });
  await tape.record(harness, 'listWallets', 'two', 'One is in use, and another one is to replace it.');
  await tape.fail(harness, 'validation', 'listWallets', { query: '?limit=0' });
}
