import { OWN_ROW, type Reasons } from './reasons.ts';

/** Merchants that move to another cell. */
export const MOVES: Reasons = {
  right: {
    begin_merchant_move:
      'It inserts from parameters; the second of two commands at once fails by the primary key.',
    set_step_of_move: OWN_ROW,
    end_merchant_move: OWN_ROW,
    stop_writes_of_merchant: OWN_ROW,
    move_merchant_for_good: OWN_ROW,
    take_back_merchant_move: OWN_ROW,
  },
  readsMore: {},
};
