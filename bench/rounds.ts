export interface Rounds<T> {
  readonly ours: readonly T[];
  readonly floor: readonly T[];
}

/**
 * Measures both sides in each round, by turns which first, so that what changes on the machine meanwhile
 * changes both.
 */
export async function interleave<T>(
  rounds: number,
  ours: (round: number) => Promise<T>,
  floor: (round: number) => Promise<T>,
): Promise<Rounds<T>> {
  const measured: { ours: T[]; floor: T[] } = { ours: [], floor: [] };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) measured.ours.push(await ours(round));
    measured.floor.push(await floor(round));
    if (round % 2 === 1) measured.ours.push(await ours(round));
  }
  return measured;
}

/** What `of` makes of ours and the floor's, round by round. */
export function byRound<T>({ ours, floor }: Rounds<T>, of: (ours: T, floor: T) => number): number[] {
  return ours.flatMap((one, round) => {
    const other = floor[round];
    return other === undefined ? [] : [of(one, other)];
  });
}
