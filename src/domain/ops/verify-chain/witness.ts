import type { NetworkId } from '../../chain/networks.ts';
import type { BlockOfTransfer, ChainTransfer, Holding } from '../../chain/port.ts';
import type { JsonRpc } from '../../chain/rpc/json-rpc.ts';

/** A transaction that the books name, and what of it is looked for. */
export interface AskedTransaction extends Pick<ChainTransfer, 'txHash' | 'coin'> {
  /** Where to; null: wherever, for it is erased. */
  readonly address: string | null;
  /** Where it was mined, as the books say. */
  readonly height: number;
}

/** What a transaction moves. */
export type Moved = readonly Pick<ChainTransfer, 'address' | 'coin' | 'amount'>[];

/** Returns what of the moves of a transaction is asked for. */
export function askedOf(moved: Moved, asked: readonly AskedTransaction[]): Moved {
  const addresses = new Set(asked.map(({ address }) => address?.toLowerCase() ?? null));
  return addresses.has(null) ? moved : moved.filter((one) => addresses.has(one.address.toLowerCase()));
}

/** What a node says of a chain up to one final block. Its word is enough: nobody is credited by it. */
export interface Witness {
  readonly block: BlockOfTransfer & { readonly time: Date };
  /** Returns what addresses hold after the block, in their order; null: that cannot be told. */
  held(holdings: readonly Holding[]): Promise<readonly (string | null)[]>;
  /** Returns what those transactions move that are in blocks up to it and have succeeded. */
  moved(asked: readonly AskedTransaction[]): Promise<ReadonlyMap<string, Moved>>;
  /**
   * Yields what came to watched addresses from a height up to the block, some blocks at a time. Absent: what
   * addresses hold says it.
   */
  received?(from: number, own: OwnAmong): AsyncGenerator<readonly Received[]>;
}

/** Returns those of some addresses that payments have. */
export type OwnAmong = (addresses: readonly string[]) => Promise<ReadonlySet<string>>;

export type Received = Pick<ChainTransfer, 'txHash' | 'coin' | 'address' | 'amount'> & {
  readonly height: number;
};

/** What a witness is opened with. */
export interface Opening {
  readonly provider: JsonRpc;
  readonly network: NetworkId;
  /** The final height of the watcher. */
  readonly final: number;
}
