import type { Branch } from '../scan/branch.ts';
import { demand } from '../rpc/refused.ts';
import { readLog, type Log } from './proofs/receipts.ts';
import { fields, integer, list, word } from './proofs/values.ts';
import { blockAt, findTransfers, proveContent, transfersTo, type Block, type Reader } from './read.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ProviderError } from '../rpc/provider-error.ts';
import { minedOf, receiversIn, TRANSFER_TOPIC, type Coins } from './transfers.ts';

/** Blocks whose logs are asked for at once, at most. */
export const MAX_RANGE = 2_000;
/** Blocks whose addresses are matched with ours in one query. */
const BLOCKS_A_QUERY = 25;
/** Blocks that are requested before they are needed. */
const READ_AHEAD = 16;

/** What reading in ranges goes by. */
export interface CatchUp {
  /** How many blocks a range has: halved where a provider refuses one. It is kept from poll to poll. */
  readonly range: { blocks: number };
  /** A page ends after this time: what was read is stored, and the next one continues. */
  readonly pageMs: number;
}

/**
 * Returns the branch with the blocks of a range behind its tip, all of them final. Logs are asked for by
 * range, and only tell where to look: each block is linked to the one before by its hash, and where a log or
 * a transaction names an address of ours, or where no log came under a bloom that may hold one, the block's
 * receipts decide. A log that a provider hides among others of its block is not missed here; the balance
 * audit finds its money.
 */
export async function catchUp(options: Reader & CatchUp, known: Branch, final: number): Promise<Branch> {
  const branch = known.copy();
  const from = branch.tip.height + 1;
  const { to, logs } = await logsFrom(options, transfersOf(options.coins), { from, to: final });
  const ends = performance.now() + options.pageMs;
  let some: Block[] = [];
  for await (const block of blocksBetween(options.provider, from, to)) {
    const last = some.at(-1)?.header.hash ?? branch.tip.hash;
    demand(
      last === null || block.header.parentHash === last,
      `block ${block.header.height} is on another branch`,
    );
    proveContent(block);
    some.push(block);
    if (some.length < BLOCKS_A_QUERY && block.header.height < to) continue;
    await extend(options, branch, { some, logs });
    some = [];
    if (performance.now() > ends) break;
  }
  return branch;
}

async function extend(
  options: Reader,
  branch: Branch,
  { some, logs }: { some: readonly Block[]; logs: ReadonlyMap<number, readonly RangeLog[]> },
): Promise<void> {
  const { coins, watch } = options;
  const looked = some.map((block) => {
    const told = logs.get(block.header.height) ?? [];
    for (const { blockHash } of told)
      demand(blockHash === block.header.hash, `a log of block ${block.header.height} is of another block`);
    const isHidden = told.length === 0 && coins.mayMoveTokens(block.header);
    return { block, isHidden, receivers: receiversIn(coins, block.transactions, [{ logs: told }]) };
  });
  const receivers = [...new Set(looked.flatMap((one) => one.receivers))];
  const own = receivers.length === 0 ? new Set<string>() : await watch.own(coins.network, receivers);
  for (const { block, isHidden, receivers } of looked) {
    const isOurs = receivers.some((receiver) => own.has(receiver));
    const found = isHidden
      ? await findTransfers(options, block)
      : isOurs
        ? await transfersTo(options, block, own, null)
        : [];
    branch.extend(minedOf(block), found);
  }
}

/** Yields the blocks of a range in their order, and requests some ahead. */
async function* blocksBetween(provider: JsonRpc, from: number, to: number): AsyncGenerator<Block> {
  const ahead: Promise<Block>[] = [];
  let next = from;
  for (let height = from; height <= to; height += 1) {
    for (; next <= to && ahead.length < READ_AHEAD; next += 1) {
      const block = blockAt(provider, next);
      // One that fails behind another is thrown when it is needed, or never.
      block.catch(() => {});
      ahead.push(block);
    }
    const block = await ahead.shift();
    if (block !== undefined) yield block;
  }
}

interface RangeLog extends Log {
  readonly blockHash: string;
}

/** Which logs are asked for; null: none, for an empty list of addresses matches every contract, or none. */
type Filter = { readonly address: readonly string[]; readonly topics: readonly (string | null)[] } | null;

const transfersOf = ({ tokens }: Coins): Filter =>
  tokens.size === 0 ? null : { address: [...tokens.keys()], topics: [TRANSFER_TOPIC] };

/** Returns the logs of a range by height, up to where a provider serves them at once. */
export async function logsFrom(
  { provider, range }: Pick<Reader, 'provider'> & Pick<CatchUp, 'range'>,
  filter: Filter,
  { from, to: last }: { from: number; to: number },
): Promise<{ to: number; logs: ReadonlyMap<number, readonly RangeLog[]> }> {
  for (;;) {
    const to = Math.min(last, from + range.blocks - 1);
    try {
      const logs = await logsBetween(provider, filter, { from, to });
      range.blocks = Math.min(MAX_RANGE, range.blocks * 2);
      return { to, logs };
    } catch (error) {
      // Too many logs, too many blocks, or too slow: providers say so in their own ways.
      if (!(error instanceof ProviderError) || error.fault === 'rate_limited' || range.blocks === 1)
        throw error;
      range.blocks = Math.max(1, Math.floor(Math.min(range.blocks, to - from + 1) / 2));
    }
  }
}

async function logsBetween(
  provider: JsonRpc,
  filter: Filter,
  { from, to }: { from: number; to: number },
): Promise<ReadonlyMap<number, readonly RangeLog[]>> {
  const logs = new Map<number, RangeLog[]>();
  if (filter === null) return logs;
  const bounds = { fromBlock: `0x${from.toString(16)}`, toBlock: `0x${to.toString(16)}` };
  for (const sent of list(await provider.call('eth_getLogs', { ...bounds, ...filter }))) {
    const { blockNumber, blockHash } = fields(sent);
    const height = integer(blockNumber);
    demand(height >= from && height <= to, `a log of block ${height} came for blocks ${from} to ${to}`);
    const log = { ...readLog(sent), blockHash: word(blockHash) };
    const same = logs.get(height);
    if (same === undefined) logs.set(height, [log]);
    else same.push(log);
  }
  return logs;
}
