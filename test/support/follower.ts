import type { EvmClient } from '../../src/domain/chain/evm/client.ts';
import type { NetworkId } from '../../src/domain/chain/networks.ts';
import type { ChainClient, ChainPage, ChainTransfer, Watch } from '../../src/domain/chain/port.ts';

/** Follows a client as the service does: it keeps what pages report, and their cursor. */
export class Follower<Client extends ChainClient = EvmClient> {
  client: Client;
  readonly network: NetworkId;
  readonly pages: ChainPage[] = [];
  /** Addresses that are ours. */
  readonly own: Set<string>;
  cursor: string | null = null;
  /** The current time of the polls. */
  now = new Date();
  /** What was reported last of each transfer. */
  readonly transfers = new Map<string, ChainTransfer>();
  /** Every state of a transfer in which it was confirmed. */
  readonly confirmed = new Map<string, ChainTransfer>();
  /** Queries for our addresses. */
  queries = 0;

  constructor(client: Client, own: readonly string[], network: NetworkId = 'ethereum') {
    this.client = client;
    this.network = network;
    this.own = new Set(own);
  }

  readonly watch: Watch = {
    own: (_network, addresses) => {
      this.queries += 1;
      return Promise.resolve(new Set(addresses.filter((address) => this.own.has(address))));
    },
    standing: (_network, aboveHeight) =>
      Promise.resolve(
        [...this.transfers.values()].filter(
          ({ block, droppedAt }) => droppedAt === null && (block === null || block.height > aboveHeight),
        ),
      ),
    mined: (_network, hashes, height) => {
      const standing = [...this.transfers.values()].filter(
        ({ block, droppedAt }) => droppedAt === null && (block?.height ?? Infinity) <= height,
      );
      const mined = new Set(standing.map(({ txHash }) => txHash));
      return Promise.resolve(new Set(hashes.filter((hash) => mined.has(hash))));
    },
  };

  /** Polls once. Throws when what was confirmed is taken back. */
  async poll(): Promise<ChainPage> {
    this.now = new Date(this.now.getTime() + 1_000);
    const page = await this.client.poll(this.network, this.cursor, this.watch, this.now);
    this.pages.push(page);
    this.cursor = page.cursor;
    for (const transfer of page.transfers) {
      const key = keyOf(transfer);
      const confirmed = this.confirmed.get(key);
      if (confirmed !== undefined && !isSameState(confirmed, transfer))
        throw new Error(`${key} was confirmed, and is taken back: ${JSON.stringify(transfer)}`);
      this.transfers.set(key, transfer);
    }
    if (page.next === 'head')
      for (const [key, transfer] of this.transfers)
        if (transfer.block !== null && transfer.block.height <= page.finalHeight)
          this.confirmed.set(key, transfer);
    return page;
  }

  /** Polls while there is more; a wait ends it as well. */
  async pollAll(): Promise<ChainPage> {
    for (;;) {
      const page = await this.poll();
      if (page.next !== 'more') return page;
    }
  }

  /** Returns what is known of an address, in the order in which it was first reported. */
  at(address: string): ChainTransfer[] {
    return [...this.transfers.values()].filter((transfer) => transfer.address === address);
  }
}

const keyOf = ({ txHash, coin, address }: ChainTransfer): string => `${txHash} ${coin} ${address}`;

const isSameState = (a: ChainTransfer, b: ChainTransfer): boolean =>
  a.block?.hash === b.block?.hash && a.amount === b.amount && b.droppedAt === null;
