/** A merchant by what they weigh: payments of a day, or bytes; one unit for all. */
export interface Merchant {
  readonly weight: number;
}

export interface Cell {
  readonly merchants: readonly Merchant[];
  readonly load: number;
}

/** A merchant that moves from one cell to another, by their places in the list of cells. */
export interface Move {
  readonly merchant: number;
  readonly from: number;
  readonly to: number;
}

/** Where new merchants go: to the cell with the least load, the first of several. -1: there is no cell. */
export function leastLoaded(loads: readonly number[]): number {
  return placeOf(loads, (load, best) => load < best);
}

/**
 * The next `ops merchant move` that evens out: from the fullest cell to the emptiest, of its merchants the
 * one whose weight is nearest to half of the difference, and below the difference, so that the higher of both
 * loads falls. A cell with a merchant who alone weighs more than `skew` times the mean is left as it is: no
 * move helps it. Null: all others are within `skew` times the mean, or no merchant would help.
 */
export function nextMove(cells: readonly Cell[], skew: number): Move | null {
  const loads = cells.map(({ load }) => load);
  const most = (skew * loads.reduce((sum, load) => sum + load, 0)) / loads.length;
  const isMendable = ({ load, merchants }: Cell) =>
    load > most && merchants.every(({ weight }) => weight <= most);
  const full = cells.map((cell) => (isMendable(cell) ? cell.load : -Infinity));
  const [from, to] = [placeOf(full, (load, best) => load > best), leastLoaded(loads)];
  const [fullest, emptiest] = [cells[from], cells[to]];
  if (fullest === undefined || emptiest === undefined || !isMendable(fullest)) return null;
  const gap = fullest.load - emptiest.load;
  const distances = fullest.merchants.map(({ weight }) =>
    weight > 0 && weight < gap ? Math.abs(gap / 2 - weight) : Infinity,
  );
  const merchant = leastLoaded(distances);
  return Number.isFinite(distances[merchant] ?? Infinity) ? { merchant, from, to } : null;
}

/** The load of the fullest cell as a multiple of the mean; 1 where nothing is loaded. */
export function skewOf(loads: readonly number[]): number {
  const total = loads.reduce((sum, load) => sum + load, 0);
  return total === 0 ? 1 : (Math.max(...loads) * loads.length) / total;
}

function placeOf(values: readonly number[], isBetter: (value: number, best: number) => boolean): number {
  return values.reduce(
    (best, value, place) => (isBetter(value, values[best] ?? NaN) ? place : best),
    values.length === 0 ? -1 : 0,
  );
}
