import { encode, integerBytes, keccak, keccakBytes, type Item } from './rlp.ts';

interface Leaf {
  /** The half-bytes of the key. */
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/**
 * Returns the root of the Merkle Patricia trie that a block commits to a list with: keys are the RLP of the
 * indices, values are the encoded items (Yellow Paper, appendix D). No key is the beginning of another, so a
 * branch holds no value.
 */
export function listRoot(values: readonly Uint8Array[]): string {
  const leaves = values.map((value, index): Leaf => {
    const key = encode(integerBytes(BigInt(index)));
    return { path: [...key].flatMap((byte) => [byte >> 4, byte & 15]), value };
  });
  return keccak(encode(leaves.length === 0 ? EMPTY : node(leaves, 0)));
}

const EMPTY = new Uint8Array();

/** Returns the node of leaves whose paths agree in the first `depth` half-bytes. */
function node(leaves: readonly Leaf[], depth: number): Item {
  const [first] = leaves;
  if (first === undefined) return EMPTY;
  if (leaves.length === 1) return [compact(first.path.slice(depth), true), first.value];
  const shared = sharedFrom(leaves, first, depth);
  if (shared > depth)
    return [compact(first.path.slice(depth, shared), false), reference(node(leaves, shared))];
  const children = Array.from({ length: 16 }, (): Leaf[] => []);
  for (const leaf of leaves) children[leaf.path[depth] ?? 0]?.push(leaf);
  return [...children.map((some) => (some.length === 0 ? EMPTY : reference(node(some, depth + 1)))), EMPTY];
}

/** Returns up to which depth all paths agree. */
function sharedFrom(leaves: readonly Leaf[], { path }: Leaf, depth: number): number {
  let shared = depth;
  while (leaves.every((leaf) => shared < leaf.path.length && leaf.path[shared] === path[shared])) shared += 1;
  return shared;
}

/** A node of 32 bytes or more stands in its parent as its hash. */
function reference(child: Item): Item {
  const encoded = encode(child);
  return encoded.length < 32 ? child : keccakBytes(encoded);
}

/** Returns half-bytes as bytes: the first tells leaves from extensions, and odd lengths from even ones. */
function compact(path: readonly number[], isLeaf: boolean): Uint8Array {
  const flag = (isLeaf ? 2 : 0) + (path.length % 2);
  const halves = path.length % 2 === 0 ? [flag, 0, ...path] : [flag, ...path];
  return Uint8Array.from(
    { length: halves.length / 2 },
    (_, i) => ((halves[2 * i] ?? 0) << 4) | (halves[2 * i + 1] ?? 0),
  );
}
