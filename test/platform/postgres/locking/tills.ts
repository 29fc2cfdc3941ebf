import { ENDED, LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

const UNDER_TILL =
  'The caller has locked the till in an earlier statement; who makes sales, closes or changes the PIN does.';

/** Tills, their devices, sales and closes, and who holds items of a link. */
export const TILLS: Reasons = {
  right: {
    insert_till: NEW_ROWS,
    lock_till: LOCKED_ROWS,
    lock_pin_of_till: LOCKED_ROWS,
    set_pin_of_till: UNDER_TILL,
    archive_till: OWN_ROW,
    // Devices
    insert_pairing: NEW_ROWS,
    delete_passed_pairings: OWN_ROW,
    use_pairing: OWN_ROW,
    set_device_opened: OWN_ROW,
    see_till_device: OWN_ROW,
    lock_devices_of_till: UNDER_TILL,
    delete_till_device: OWN_ROW,
    delete_devices_of_till: UNDER_TILL,
    // Sales and closes
    take_number_of_till: OWN_ROW,
    insert_sale: UNDER_TILL,
    set_payment_of_sale: OWN_ROW,
    count_paid_sales:
      'Closes have locked the till. A payment that it does not see as settled is counted by the next close.',
    lock_old_sales: LOCKED_ROWS,
    give_up_unpaid_sales:
      'The rows were locked by the statement before, so their payments are read as they are.',
    insert_close: UNDER_TILL,
    set_closes_of_till: UNDER_TILL,
    // Who holds items of a link
    insert_hold: NEW_ROWS,
    delete_passed_holds: ENDED,
  },
  readsMore: {},
};
