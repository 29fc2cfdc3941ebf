/** A page ends with the event that brings it to this size: an event may have 100 kB of metadata. */
const MAX_PAGE_BYTES = 1_000_000;

/** A row of a page of events, as `upToPageSize` selects it. */
export interface SizedRow {
  /** How many events were found, those beyond the page's size included. */
  readonly found: string;
}

/**
 * SQL: the first rows of `page`, in the order of `order`, up to the size of a page, with these columns and
 * `found`. octet_length reads no body.
 */
export function upToPageSize(page: string, columns: string, order: string): string {
  return `
    SELECT ${columns}, found FROM (
      SELECT next_ones.*, count(*) OVER () AS found,
        sum(octet_length(body)) OVER (ORDER BY ${order}) - octet_length(body) AS bytes_before
      FROM (${page}) next_ones
    ) sized
    WHERE bytes_before < ${MAX_PAGE_BYTES}`;
}
