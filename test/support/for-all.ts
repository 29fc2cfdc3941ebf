/** So many wait for a node or for Postgres at once. */
const LANES = 8;

/** Does the work of all, some side by side, in their order. */
export async function forAll<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = all.entries();
  const lane = async () => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const [i, one] = next.value;
      results[i] = await work(one);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return results;
}
