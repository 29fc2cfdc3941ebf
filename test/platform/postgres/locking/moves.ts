import { LOCKED_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

/** Merchants that move to another cell. */
export const MOVES: Reasons = {
  right: {
    begin_arriving_of_merchant: OWN_ROW,
    take_over_arriving_merchant: OWN_ROW,
    lock_run_of_merchant_move: LOCKED_ROWS,
    lock_step_of_merchant_move: LOCKED_ROWS,
    set_step_of_move: OWN_ROW,
    end_merchant_move: OWN_ROW,
    let_arriving_merchant_go_on: OWN_ROW,
    stop_writes_of_merchant: OWN_ROW,
    move_merchant_for_good: OWN_ROW,
    take_back_merchant_move: OWN_ROW,
    begin_copy_of_merchant: OWN_ROW,
    let_copy_of_merchant_last: OWN_ROW,
    keep_copied_payments: OWN_ROW,
    forget_copy_of_merchant:
      'The run of the move is held: no other one keeps copies, and notes of a copy that has ended are nobody’s.',
  },
  readsMore: {
    claim_merchant_move:
      'A merchant is never deleted from the cell where they were made, and their id never changes.',
  },
};
