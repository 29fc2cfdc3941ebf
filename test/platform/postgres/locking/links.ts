import { LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

/** Payment links, and what of them their payments hold. */
export const LINKS: Reasons = {
  right: {
    insert_link: NEW_ROWS,
    archive_link: OWN_ROW,
    take_item_of_link: OWN_ROW,
    lock_links: LOCKED_ROWS,
    move_items_of_links: OWN_ROW,
    lock_link_of_merchant: LOCKED_ROWS,
    update_link: 'It writes what was computed from the row under its lock (domain/links/edit.ts).',
  },
  readsMore: {},
};
