import { ENDED, FIRST_WINS, LOCKED_ROWS, NEW_ROWS, OWN_ROW, UNDER_PAYMENT, type Reasons } from './reasons.ts';

/** Payments, their money, and the chains' reports of it. */
export const PAYMENTS: Reasons = {
  right: {
    insert_payments: 'What is refused is what the claims of this statement left; all else are parameters.',
    lock_payments: LOCKED_ROWS,
    lock_payments_to_move: 'It returns how many rows it locks.',
    apply_transitions: `${UNDER_PAYMENT} What is quarantined is read behind it.`,
    update_money: UNDER_PAYMENT,
    update_amount_refunded: UNDER_PAYMENT,
    // A chain's page
    advance_chain_cursor: OWN_ROW,
    halt_chain: OWN_ROW,
    declare_chain: FIRST_WINS,
    insert_balance_audits:
      'It inserts from parameters, and from columns of the payment that only end an audit later.',
    mark_audited:
      'One leader audits a network. An older look at the deadline makes the next audit earlier or later.',
    delete_ended_audits: ENDED,
    record_audit_round: OWN_ROW,
    insert_quarantined_transfers: UNDER_PAYMENT,
    take_quarantined_transfers: UNDER_PAYMENT,
    upsert_transfers: UNDER_PAYMENT,
    move_money_to_replacement: UNDER_PAYMENT,
    lapse_transfers: UNDER_PAYMENT,
    confirm_transfers: UNDER_PAYMENT,
    insert_ledger_entries: NEW_ROWS,
    // Quotes and the payment method
    insert_quote: FIRST_WINS,
    update_quotes: UNDER_PAYMENT,
    update_payment_method: `${UNDER_PAYMENT} What is quarantined is read behind it.`,
    // Conversions
    insert_conversions: UNDER_PAYMENT,
    finish_conversions: UNDER_PAYMENT,
    // Sales
    insert_sales: FIRST_WINS,
    lock_sale: LOCKED_ROWS,
    credit_sale: OWN_ROW,
    note_sale: OWN_ROW,
    insert_sale_order:
      'The caller has locked the sale in an earlier statement; of two runs the second finds the row of the first.',
    accept_sale_order: OWN_ROW,
    end_sale_order: OWN_ROW,
    update_settlement_problem: UNDER_PAYMENT,
    end_sale: UNDER_PAYMENT,
    decide_sales: UNDER_PAYMENT,
    // Accounts at exchanges
    set_exchange_account: 'It writes parameters; the larger of two nonces is of the row that it writes.',
    retire_exchange_account: OWN_ROW,
    raise_exchange_nonce: OWN_ROW,
    take_exchange_address:
      'It waits for no row. A payment that gets an address writes it to its row first, whose lock ends with that.',
    give_back_exchange_address: OWN_ROW,
    store_exchange_addresses: FIRST_WINS,
    retire_exchange_addresses: OWN_ROW,
    replace_mac_of_exchange_address: OWN_ROW,
    rest_exchange_addresses: OWN_ROW,
    // Flushes
    insert_flush: NEW_ROWS,
    end_flushes: OWN_ROW,
    mark_flushed_deposits: OWN_ROW,
    transfers_that_have_left:
      'It waits for no row: who holds one keeps it from being marked. What makes a row one of these is its own columns.',
    abandon_flushes: 'Only the run that leads the network, as this does, adds and ends open flushes.',
    store_flush_looks: OWN_ROW,
    // Refunds
    insert_refunds: `${NEW_ROWS} How far a chain is read may be a moment old.`,
    reserve_parts: UNDER_PAYMENT,
    withdraw_refund: UNDER_PAYMENT,
    ask_for_payout: OWN_ROW,
    complete_refund: OWN_ROW,
    await_signature: OWN_ROW,
    address_refunds: `${UNDER_PAYMENT} How far a chain is read may be a moment old.`,
    // Refunds that the signer pays
    insert_payout_intent: FIRST_WINS,
    mark_refund_offered: UNDER_PAYMENT,
    // Refunds that merchants pay
    name_transaction_of_refund: OWN_ROW,
    ask_wallet_for_refund: OWN_ROW,
    release_refund_of_wallet: OWN_ROW,
    judge_refund: OWN_ROW,
    note_checked_refund: OWN_ROW,
    reopen_refund: UNDER_PAYMENT,
    delete_idle_payout_transfers: 'A refund that begins to wait takes no transfer that was final before.',
    record_payout_transfers:
      "The chain's cursor is locked: who records or completes by these rows reads the chain. A refund that waits " +
      'no more leaves a row that nothing uses.',
    claim_payout_transfer: OWN_ROW,
    store_refund_psbt: UNDER_PAYMENT,
    delay_refund_psbt: OWN_ROW,
    note_look_at_psbt: 'A refund that is deleted meanwhile takes its row with it, or refuses it.',
    take_refund_coins: `${NEW_ROWS} The wallet is locked: no other request takes its coins meanwhile.`,
    release_refund_coins: OWN_ROW,
    end_withdrawn_coins: UNDER_PAYMENT,
    keep_change_index: 'The refund is completed: its coins and its address are looked for no more.',
    delete_refund_psbt: OWN_ROW,
    insert_refund_requests: UNDER_PAYMENT,
    set_refund_address: FIRST_WINS,
    give_customer_email: OWN_ROW,
    announce_transaction: OWN_ROW,
    await_transaction: OWN_ROW,
    delete_awaited_no_more:
      'A payment that has ended, or a transfer of this hash, stays so for what is awaited.',
    take_awaited_transactions: 'One leader follows a network. One that is looked up twice is judged alike.',
    number_awaited_transaction: OWN_ROW,
    lose_awaited_transaction:
      'A transfer that is recorded meanwhile ends the waiting: the page reads it before what is lost.',
    clear_refund_addresses: `${UNDER_PAYMENT} So no payout is asked for meanwhile.`,
  },
  readsMore: {},
};
