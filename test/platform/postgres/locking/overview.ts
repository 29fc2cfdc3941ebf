import { FIRST_WINS, LOCKED_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

/** What the desk shows of all payments of a merchant. */
export const OVERVIEW: Reasons = {
  right: {
    insert_count_positions: `${FIRST_WINS} Who begins to arrive meanwhile gets one, which the copy replaces.`,
    lock_count_positions: `${LOCKED_ROWS} What it reads of the feed only says whether to look.`,
    count_pages_of_feeds:
      'The positions were locked by the statement before; below the horizon the feed does not change any more.',
    delete_old_payment_counts: 'Events of that time are gone: nothing is counted there any more.',
    forget_payment_counts: 'No process serves a database that was restored.',
    forget_count_positions: 'No process serves a database that was restored.',
    set_time_zone_of_merchant: OWN_ROW,
  },
  readsMore: {},
};
