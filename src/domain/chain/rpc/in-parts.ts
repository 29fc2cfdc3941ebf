import { ProviderError } from './provider-error.ts';

/** So many are asked about at once. */
const AT_ONCE = 50;

/**
 * Reads something about items, some at a time, and fewer where the answer is too large for one: anybody may
 * make a transaction that is. What is read of an answer is all that is kept of it.
 */
export async function inParts<Item, Read>(
  items: readonly Item[],
  read: (some: readonly Item[]) => Promise<readonly Read[]>,
): Promise<Read[]> {
  const found: Read[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE)
    found.push(...(await inHalves(items.slice(i, i + AT_ONCE), read)));
  return found;
}

async function inHalves<Item, Read>(
  some: readonly Item[],
  read: (some: readonly Item[]) => Promise<readonly Read[]>,
): Promise<readonly Read[]> {
  try {
    return await read(some);
  } catch (error) {
    const isTooLarge = error instanceof ProviderError && error.fault === 'too_large';
    if (!isTooLarge || some.length === 1) throw error;
    const half = Math.ceil(some.length / 2);
    const first = await inHalves(some.slice(0, half), read);
    return [...first, ...(await inHalves(some.slice(half), read))];
  }
}
