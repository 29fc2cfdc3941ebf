/**
 * `node --import tsx bench/placement/simulate.ts [EXPONENT]`: places 1,000,000 merchants in 200 cells and
 * moves some to even out, and prints how uneven the cells are before and after. The same figures each time.
 */
import { leastLoaded, nextMove, skewOf, type Merchant } from './rule.ts';

const CELLS = 200;
const MERCHANTS = 1_000_000;
/** Who comes within one day is placed by what cells weighed in the morning. */
const A_DAY = 1_000;
/** Some merchants have many payments: with 1.1, one in a thousand has more than 500 times the smallest. */
const EXPONENT = Number(process.argv[2] ?? 1.1);
const SMALLEST = 10;
/** Nobody is larger: what all cells together could not carry is no merchant of one cell. */
const LARGEST = 20_000_000;
/** 30 GB for 10,000,000 payments with what belongs to them (docs/performance.md). */
const BYTES_OF_A_PAYMENT = 3_000;
const SKEW = 1.1;

interface Filled {
  merchants: Merchant[];
  load: number;
}

const random = randomFrom(1);
const cells = Array.from({ length: CELLS }, (): Filled => ({ merchants: [], load: 0 }));
let heaviest = 0;
for (let placed = 0; placed < MERCHANTS; placed += A_DAY) {
  const cell = cells[leastLoaded(cells.map(({ load }) => load))];
  if (cell === undefined) break;
  for (let one = 0; one < A_DAY; one += 1) {
    const weight = sizeOf(random());
    cell.merchants.push({ weight });
    cell.load += weight;
    heaviest = Math.max(heaviest, weight);
  }
}
const mean = cells.reduce((sum, { load }) => sum + load, 0) / CELLS;
console.log(`${MERCHANTS} merchants in ${CELLS} cells, ${Math.round(mean)} payments in each on average;`);
console.log(`the largest merchant is ${(heaviest / mean).toFixed(2)} of an average cell`);
console.log(`before: the fullest cell has ${skew()}`);
const moved = evenOut();
const bytes = (moved.payments * BYTES_OF_A_PAYMENT) / 1e9;
console.log(
  `after: ${skew()}, by ${moved.merchants} moves with ${moved.payments} payments (${bytes.toFixed(1)} GB)`,
);
console.log(`of all payments ${((moved.payments / (mean * CELLS)) * 100).toFixed(2)} % moved`);

/** Of all cells, and of those whose merchants all fit a cell. */
function skew(): string {
  const fitting = cells.filter(({ merchants }) => merchants.every(({ weight }) => weight <= SKEW * mean));
  const most = Math.max(...fitting.map(({ load }) => load)) / mean;
  const all = skewOf(cells.map(({ load }) => load)).toFixed(3);
  return `${all} times the average, ${most.toFixed(3)} without ${CELLS - fitting.length} with a merchant too large`;
}

function evenOut(): { merchants: number; payments: number } {
  const sum = { merchants: 0, payments: 0 };
  for (let move = nextMove(cells, SKEW); move !== null; move = nextMove(cells, SKEW)) {
    const [from, to] = [cells[move.from], cells[move.to]];
    const [merchant] = from?.merchants.splice(move.merchant, 1) ?? [];
    if (from === undefined || to === undefined || merchant === undefined) break;
    to.merchants.push(merchant);
    from.load -= merchant.weight;
    to.load += merchant.weight;
    sum.merchants += 1;
    sum.payments += merchant.weight;
  }
  return sum;
}

/** Payments of a merchant, by a power law (Pareto's distribution), from a number in [0, 1). */
function sizeOf(uniform: number): number {
  return Math.min(LARGEST, Math.round(SMALLEST * (1 - uniform) ** (-1 / EXPONENT)));
}

/** Numbers in [0, 1), the same for a seed (a linear congruence modulo 2^32, with Knuth's factor). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
