/** An output that can be spent. */
export interface Coin {
  readonly txHash: string;
  readonly index: number;
  readonly satoshi: bigint;
}

/** How a coin is named: transaction and output. */
export const outpoint = ({ txHash, index }: Pick<Coin, 'txHash' | 'index'>): string => `${txHash}:${index}`;

/** Signers show each input, and a transaction of more is large for a pool. */
export const MOST_INPUTS = 200;
/** Weight units of a transaction with witnesses, its outputs beside their scripts, and an input (BIP-141). */
const [WEIGHT, WEIGHT_OF_OUTPUT, WEIGHT_OF_INPUT] = [42, 36, 273];
const BYTES_OF_CHANGE = 22;
/** Less at a witness key costs more to spend than it is worth, and no pool takes it. */
const DUST = 294n;

/** What is to be paid, and for what. */
export interface Spending {
  readonly satoshi: bigint;
  /** Of the script that is paid. */
  readonly scriptBytes: number;
  /** Satoshi for each virtual byte. */
  readonly feeRate: number;
}

/** Which coins pay, and what of them is left. */
export interface Choice<Own extends Coin> {
  readonly coins: readonly Own[];
  /** Zero: nothing is left that is worth an output. */
  readonly change: bigint;
  readonly fee: bigint;
}

/**
 * Chooses coins that pay, `kept` among them: the smallest that suffices alone, else the largest ones, so that
 * they are few. Null: all of them are too little, or too many are needed.
 */
export function chooseCoins<Own extends Coin>(
  spending: Spending,
  free: readonly Own[],
  kept: readonly Own[] = [],
): Choice<Own> | null {
  const ascending = free.toSorted((a, b) => (a.satoshi < b.satoshi ? -1 : Number(a.satoshi > b.satoshi)));
  const enough = kept.length > 0 ? paidBy(spending, kept) : null;
  if (enough !== null) return enough;
  for (const coin of ascending) {
    const alone = paidBy(spending, [...kept, coin]);
    if (alone !== null) return alone;
  }
  const chosen = [...kept];
  for (const coin of ascending.toReversed()) {
    if (chosen.length === MOST_INPUTS) return null;
    chosen.push(coin);
    const paid = paidBy(spending, chosen);
    if (paid !== null) return paid;
  }
  return null;
}

function paidBy<Own extends Coin>(spending: Spending, coins: readonly Own[]): Choice<Own> | null {
  const left = coins.reduce((sum, { satoshi }) => sum + satoshi, -spending.satoshi);
  const change = left - feeOf(spending, coins.length, true);
  if (change >= DUST) return { coins, change, fee: left - change };
  return left >= feeOf(spending, coins.length, false) ? { coins, change: 0n, fee: left } : null;
}

/** Returns what it costs to spend a coin: one that is worth no more pays for nothing. */
export const feeOfInput = ({ feeRate }: Pick<Spending, 'feeRate'>): bigint =>
  BigInt(Math.ceil((feeRate * WEIGHT_OF_INPUT) / 4));

/** Returns what a transaction costs that spends so many coins. */
export function feeOf({ scriptBytes, feeRate }: Spending, inputs: number, hasChange: boolean): bigint {
  const output = (bytes: number) => WEIGHT_OF_OUTPUT + 4 * bytes;
  const outputs = output(scriptBytes) + (hasChange ? output(BYTES_OF_CHANGE) : 0);
  return BigInt(Math.ceil((feeRate * (WEIGHT + outputs + inputs * WEIGHT_OF_INPUT)) / 4));
}
