/** What every page of a list says about the next. */
interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly has_more: boolean; readonly next_cursor: string | null };
}

/**
 * All items from page to page. The next page is read when the items before it are used up, so a loop that is
 * left early reads no more. `read` gets the cursor of the next page, undefined for the first.
 */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let cursor: string | undefined;
  do {
    const { data, pagination } = await read(cursor);
    yield* data;
    cursor = pagination.has_more ? (pagination.next_cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
}

/** An id as a part of a path. Throws TypeError for what is no id: it could name another path. */
export function idOf(id: string): string {
  // A variable that is not set would travel as "undefined".
  if (typeof id !== 'string')
    throw new TypeError(`an id is a string, not ${id === null ? 'null' : typeof id}`);
  if (!/^\w+$/.test(id)) throw new TypeError('an id has letters, digits and underscores only');
  return id;
}
