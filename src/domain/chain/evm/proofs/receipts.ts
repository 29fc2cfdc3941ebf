import { demand } from '../../rpc/refused.ts';
import { encode, integerBytes } from './rlp.ts';
import { listRoot } from './trie.ts';
import { address, dataBytes, fields, list, quantity, word } from './values.ts';

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: Buffer;
}

/** What became of a transaction. */
export interface Receipt {
  readonly hasSucceeded: boolean;
  readonly logs: readonly Log[];
}

/**
 * Returns the receipts of a block, in the order of its transactions. Throws Refused unless their root is that
 * of the header: none is missing, none is another block's, and no log was added, changed or left out.
 */
export function readReceipts(
  sent: unknown,
  header: { height: number; receiptsRoot: string },
): readonly Receipt[] {
  const receipts = list(sent).map(readReceipt);
  const root = listRoot(receipts.map(({ encoded }) => encoded));
  demand(
    root === header.receiptsRoot,
    `the receipts of block ${header.height} have not the root of its header`,
  );
  return receipts.map(({ receipt }) => receipt);
}

function readReceipt(sent: unknown): { receipt: Receipt; encoded: Buffer } {
  const { type, status, cumulativeGasUsed, logsBloom, logs: sentLogs, ...more } = fields(sent);
  const logs = list(sentLogs).map(readLog);
  const kind = type === undefined || type === null ? 0n : quantity(type);
  const body = encode([
    integerBytes(quantity(status)),
    integerBytes(quantity(cumulativeGasUsed)),
    dataBytes(logsBloom),
    logs.map((log) => [dataBytes(log.address), log.topics.map(dataBytes), log.data]),
    ...(kind === DEPOSIT ? depositItems(more) : []),
  ]);
  return {
    receipt: { hasSucceeded: quantity(status) === 1n, logs },
    encoded: kind === 0n ? body : Buffer.concat([integerBytes(kind), body]),
  };
}

/** A deposit of the OP Stack. */
const DEPOSIT = 0x7en;

/** Its receipts have two more fields, and have them in the trie too since the fork Canyon. */
function depositItems({ depositNonce, depositReceiptVersion: version }: Readonly<Record<string, unknown>>) {
  if (version === undefined || version === null) return [];
  return [depositNonce ?? '0x0', version].map((value) => integerBytes(quantity(value)));
}

/** Returns a log as a provider sent it, with or without a receipt around it. */
export function readLog(sent: unknown): Log {
  const log = fields(sent);
  return {
    address: address(log.address),
    topics: list(log.topics).map(word),
    data: dataBytes(log.data),
  };
}
