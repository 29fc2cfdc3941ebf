/** One step of a story, in words that every chain can act out. */
export type Step =
  /** A wallet pays: its transfer is in the pool, and seen there. */
  | { readonly do: 'pay'; readonly amount: string }
  /** A contract pays: nobody knows what it moves before its block is mined, which it is at once. */
  | { readonly do: 'pay by contract'; readonly amount: string }
  /** So many blocks, each of which is read. */
  | { readonly do: 'mine'; readonly blocks: number }
  /** So long nobody reads the chain. */
  | { readonly do: 'pass'; readonly minutes: number }
  /** The newest blocks are replaced by others, and what came of the last transfer there is `again`. */
  | { readonly do: 'reorganise'; readonly depth: number; readonly again: Again }
  /**
   * Another transaction takes the place of the last transfer, which is in the pool; one that pays somebody
   * else is final before the chain is read again.
   */
  | { readonly do: 'replace'; readonly by: 'the same money' | 'another payment' };

export type Again =
  /** Mined in the new branch's last block, which is all that is read of it. */
  | 'in the same page'
  /** Mined so many blocks below its head, which is all that is read of it. */
  | { readonly blocksBelowHead: number }
  /** Seen in the pool, and mined in the block after. */
  | 'later'
  /** Seen in the pool; another transaction of its number has won, and pays somebody else. */
  | 'elsewhere'
  /** The same, in a branch of which nothing is read before that is final. */
  | 'elsewhere, and final'
  /** Moves nothing any more: its transaction reverts. */
  | 'reverted'
  /** Moves another amount. */
  | { readonly amount: string };

export interface Story {
  readonly steps: readonly Step[];
  /** The events, as `type status`. */
  readonly tells: readonly string[];
}

const pay = (amount: string): Step => ({ do: 'pay', amount });
const mine = (blocks: number): Step => ({ do: 'mine', blocks });
const reorganise = (depth: number, again: Again): Step => ({ do: 'reorganise', depth, again });
/** Enough blocks for every rule of finality. */
const confirm = mine(13);

const SEEN = ['created WAITING', 'pending PENDING'];
const SETTLED = ['processing PROCESSING', 'settled SETTLED'];
const again = (steps: readonly Step[], tells: readonly string[] = SETTLED): Story => ({
  steps: [pay('10.50'), ...steps, confirm],
  tells: [...SEEN, 'pending PENDING', ...tells],
});
const byContract = (branch: Again, last: Step, tells: readonly string[]): Story => ({
  steps: [{ do: 'pay by contract', amount: '10.50' }, reorganise(1, branch), last, confirm],
  tells: [...SEEN, ...tells],
});

/** Of a payment of 10.50 that ends an hour after it was created. */
export const STORIES: Readonly<Record<string, Story>> = {
  paid: { steps: [pay('10.50'), confirm], tells: [...SEEN, ...SETTLED] },
  'paid in two transfers': {
    steps: [pay('4'), mine(2), pay('6.50'), confirm],
    tells: [...SEEN, 'pending PENDING', ...SETTLED],
  },
  'paid too little, and expired': {
    steps: [pay('4'), confirm, { do: 'pass', minutes: 61 }],
    tells: [...SEEN, 'failed EXPIRED'],
  },
  'paid too much': { steps: [pay('12.75'), confirm], tells: [...SEEN, ...SETTLED] },
  'paid late': {
    steps: [{ do: 'pass', minutes: 61 }, pay('10.50'), confirm],
    tells: ['created WAITING', 'failed EXPIRED', 'pending PENDING', ...SETTLED],
  },
  'paid late after a part': {
    steps: [pay('4'), confirm, { do: 'pass', minutes: 61 }, pay('6.50'), confirm],
    tells: [...SEEN, 'failed EXPIRED', 'pending PENDING', ...SETTLED],
  },
  'reorganised, and mined again in the same page': again([mine(3), reorganise(3, 'in the same page')]),
  'reorganised, and mined again at another height': again([mine(4), reorganise(4, { blocksBelowHead: 2 })]),
  'reorganised, and mined again later': again([mine(2), reorganise(2, 'later')]),
  'reorganised twice': again(
    [mine(2), reorganise(2, 'later'), mine(1), reorganise(2, 'in the same page')],
    ['pending PENDING', ...SETTLED],
  ),
  'replaced by the same money': {
    steps: [pay('10.50'), { do: 'replace', by: 'the same money' }, confirm],
    tells: [...SEEN, ...SETTLED],
  },
  'replaced by another payment': {
    steps: [pay('10.50'), { do: 'replace', by: 'another payment' }, confirm],
    tells: [...SEEN, 'failed FAILED'],
  },
  'paid in two transfers, one of which is replaced by another payment': {
    steps: [pay('4'), mine(1), pay('6.50'), { do: 'replace', by: 'another payment' }, pay('6.50'), confirm],
    tells: [...SEEN, 'pending PENDING', 'pending PENDING', 'pending PENDING', ...SETTLED],
  },
  'reorganised, and replaced by another payment': again(
    [mine(2), reorganise(2, 'elsewhere')],
    ['failed FAILED'],
  ),
  'replaced by another payment in a branch that is read once it is final': {
    steps: [pay('10.50'), mine(2), reorganise(2, 'elsewhere, and final')],
    tells: [...SEEN, 'failed FAILED'],
  },
  'reorganised, and reverted': byContract('reverted', mine(1), ['pending PENDING', 'failed FAILED']),
  'reorganised, with less in the new branch, and the rest after it': byContract(
    { amount: '4' },
    pay('6.50'),
    ['pending PENDING', 'pending PENDING', ...SETTLED],
  ),
  // It is still enough, and not told before it is final.
  'reorganised, with more in the new branch': byContract({ amount: '12' }, mine(1), SETTLED),
};
