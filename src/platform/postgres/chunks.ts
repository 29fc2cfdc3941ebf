/** One statement deletes at most this many rows, so that it holds its locks for milliseconds. */
const CHUNK_ROWS = 5_000;

/**
 * Runs `deleteChunk`, which deletes at most `limit` rows and returns how many, until a chunk is not full.
 * Returns the sum.
 */
export async function deleteInChunks(deleteChunk: (limit: number) => Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const deleted = await deleteChunk(CHUNK_ROWS);
    sum += deleted;
    if (deleted < CHUNK_ROWS) return sum;
  }
}
