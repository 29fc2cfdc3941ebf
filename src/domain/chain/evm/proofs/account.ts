import { demand, Refused } from '../../rpc/refused.ts';
import { decode, keccak, keccakBytes, type Item } from './rlp.ts';
import { dataBytes, fields, list } from './values.ts';

/**
 * Returns what an account holds of the native coin after a block, and how many transactions it has sent, as
 * `eth_getProof` tells it. Throws Refused unless the state root of the header commits to that.
 */
export function provenAccount(
  sent: unknown,
  address: string,
  header: { readonly height: number; readonly stateRoot: string },
): { balance: bigint; sent: bigint } {
  const nodes = list(fields(sent).accountProof).map(dataBytes);
  const path = halves(keccakBytes(dataBytes(address)));
  const account = valueAt(nodes, path, header.stateRoot);
  if (account === null) return { balance: 0n, sent: 0n };
  const [nonce, balance] = listOf(decode(account));
  return { balance: integerOf(balance), sent: integerOf(nonce) };
}

function integerOf(item: Item | undefined): bigint {
  if (!(item instanceof Uint8Array)) throw new Refused('malformed', 'an account lacks a number');
  return item.length === 0 ? 0n : BigInt(`0x${Buffer.from(item).toString('hex')}`);
}

/** Returns what a trie holds at a path; null: the nodes prove that it holds nothing there. */
function valueAt(nodes: readonly Buffer[], path: readonly number[], root: string): Uint8Array | null {
  let expected: Item = dataBytes(root);
  let depth = 0;
  for (let used = 0; ;) {
    // A short node stands in its parent, all others are named by their hash.
    let node: Item = expected;
    if (node instanceof Uint8Array) {
      const bytes: Buffer | undefined = nodes[used];
      used += 1;
      demand(
        bytes !== undefined && keccak(bytes) === `0x${Buffer.from(node).toString('hex')}`,
        'the proof of an account does not lead from the state root',
      );
      node = decode(bytes);
    }
    const items: readonly Item[] = listOf(node);
    if (items.length === 17) {
      expected = items[path[depth] ?? 16] ?? EMPTY;
      depth += 1;
    } else {
      const [key, value = EMPTY] = items;
      const [flag = 0, ...digits] = key instanceof Uint8Array ? halves(key) : [];
      const own = flag % 2 === 0 ? digits.slice(1) : digits;
      if (!own.every((digit, i) => digit === path[depth + i])) return null;
      if (flag >= 2) return value instanceof Uint8Array && depth + own.length === path.length ? value : null;
      expected = value;
      depth += own.length;
    }
    if (expected instanceof Uint8Array && expected.length === 0) return null;
  }
}

const EMPTY = new Uint8Array();

const halves = (bytes: Uint8Array): number[] => [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);

function listOf(item: Item): readonly Item[] {
  if (item instanceof Uint8Array) throw new Refused('malformed', 'a node of a proof is no list');
  return item;
}
