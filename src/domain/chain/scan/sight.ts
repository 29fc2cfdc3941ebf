import type { NetworkId } from '../networks.ts';
import type { Watch } from '../port.ts';
import type { Branch } from './branch.ts';
import type { Found } from './cursor.ts';

/**
 * Records the transfers to us that a provider has in its pool, an extra that nothing proves. What is final is in
 * no pool: a provider that lists it again, by a fault or a lie, must not take confirmed money back.
 */
export async function sightPool(
  { network, watch }: { readonly network: NetworkId; readonly watch: Watch },
  branch: Branch,
  found: readonly Found[],
): Promise<void> {
  const hashes = [...new Set(found.filter((one) => !branch.tracks(one)).map(({ txHash }) => txHash))];
  if (hashes.length === 0) return branch.sight(found);
  const final = await watch.mined(network, hashes, branch.final.height);
  branch.sight(found.filter(({ txHash }) => !final.has(txHash)));
}
