import { ENDED, FIRST_WINS, LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons, UNDER_PAYMENT } from './reasons.ts';

const BY_CTID =
  'SKIP LOCKED: it waits for nobody. A row that changed since it began has another ctid, and is left.';
const LAST_WINS = 'It writes what one caller chose, whole: the later of two is what is stored.';
const DISCARDED = 'The caller has locked the payments, whose clocks were frozen: no job adds rows any more.';
const CHAIN_HEAD =
  "The caller has locked the chain's head in an earlier statement; who changes transfers does.";

const UNDER_WALLETS =
  "The caller has locked the owner's wallets in an earlier statement; who confirms or retires one does.";

/** The schedule, the outbox, idempotency, receipts, merchants, checkout, sandbox, chain and ops. */
export const SCHEDULE: Reasons = {
  right: {
    // The schedule
    schedule_jobs: OWN_ROW,
    schedule_missing_jobs: FIRST_WINS,
    finish_jobs: OWN_ROW,
    reschedule_job: OWN_ROW,
    cancel_jobs: OWN_ROW,
    record_job_failure: OWN_ROW,
    park_jobs: OWN_ROW,
    follow_test_clock: OWN_ROW,
    lease_due_jobs_fairly: `${BY_CTID} Weights and slots by an older look change whose turn it is, no more.`,
    release_waiting_jobs: OWN_ROW,
    beat_worker: 'It writes its own beat; an older beat of another is compared with the next look at it.',
    forget_worker: OWN_ROW,
    take_over_jobs: `${BY_CTID} The worker that leased it is read from the row that is locked.`,
    // The outbox and idempotency
    record_events: 'The payment is locked by the transition before: its event before this one is committed.',
    insert_claim: FIRST_WINS,
    insert_claim_with_reply: FIRST_WINS,
    store_reply: OWN_ROW,
    delete_old_idempotency_keys: ENDED,
    // Receipts
    create_receipts: FIRST_WINS,
    create_address_requests: FIRST_WINS,
    lease_receipt: 'The event never changes; whether the receipt is leased is read from its row again.',
    lease_address_requests: OWN_ROW,
    lease_refund_requests: OWN_ROW,
    lease_refund_addresses: OWN_ROW,
    mark_sent_in_receipts: OWN_ROW,
    mark_sent_in_address_requests: OWN_ROW,
    mark_sent_in_refund_requests: OWN_ROW,
    mark_sent_in_refund_addresses: OWN_ROW,
    mark_failed_in_receipts: OWN_ROW,
    mark_failed_in_address_requests: OWN_ROW,
    mark_failed_in_refund_requests: OWN_ROW,
    mark_failed_in_refund_addresses: OWN_ROW,
    count_test_mail: OWN_ROW,
    // Merchants and appearance
    insert_merchant: NEW_ROWS,
    insert_api_key: NEW_ROWS,
    // Wallets
    insert_wallet: NEW_ROWS,
    lock_wallets_of_owner: LOCKED_ROWS,
    lock_wallet_for_coins: LOCKED_ROWS,
    retire_wallet_in_use: UNDER_WALLETS,
    confirm_wallet: UNDER_WALLETS,
    retire_wallet: OWN_ROW,
    take_deposit_indices: OWN_ROW,
    insert_further_deposit: FIRST_WINS,
    leave_out_deposit_indices: OWN_ROW,
    replace_mac_of_wallet: OWN_ROW,
    revoke_api_keys: OWN_ROW,
    set_addresses_of_key: OWN_ROW,
    record_use_of_key: OWN_ROW,
    note_first_story: OWN_ROW,
    note_refused_forgeries: OWN_ROW,
    add_key_request_counts: 'It adds to the row that it writes, which is read again.',
    insert_key_request_errors: NEW_ROWS,
    delete_surplus_key_request_errors: 'SKIP LOCKED: it waits for nobody. A row that is surplus stays so.',
    delete_old_key_request_counts: ENDED,
    delete_old_key_request_errors: ENDED,
    set_policy_of_merchant: LAST_WINS,
    set_accepted_methods_of_merchant: LAST_WINS,
    set_email_of_merchant: LAST_WINS,
    set_spread_of_merchant: LAST_WINS,
    move_rates: LAST_WINS,
    upsert_rates: OWN_ROW,
    insert_hourly_rates: FIRST_WINS,
    suspend_merchant: OWN_ROW,
    resume_merchant: OWN_ROW,
    write_appearance: LAST_WINS,
    write_logo: LAST_WINS,
    delete_logo: LAST_WINS,
    record_language: 'SKIP LOCKED: it waits for nobody, and a row that changed is read again.',
    // Test clocks and scenarios
    update_clock: OWN_ROW,
    resync_chains_of_test_clock: OWN_ROW,
    move_jobs_to_test_clock: 'The caller has locked the payment: its events and refunds are all committed.',
    copy_chain_cursor: 'An older cursor only reads again what is stored by the hash of its transfer.',
    begin_scenario_run: NEW_ROWS,
    end_scenario_run: OWN_ROW,
    freeze_scenarios_to_discard:
      'SKIP LOCKED on the payment, whose freeze is read again: who runs or ends a scenario has frozen it.',
    discard_attempts: DISCARDED,
    discard_deliveries: DISCARDED,
    discard_events: DISCARDED,
    discard_refunds: DISCARDED,
    discard_refund_addresses: DISCARDED,
    discard_ledger_entries: DISCARDED,
    discard_conversions: DISCARDED,
    discard_transfers: DISCARDED,
    discard_quotes: DISCARDED,
    discard_endpoints: DISCARDED,
    discard_jobs: DISCARDED,
    discard_payments: DISCARDED,
    discard_chain_cursors: DISCARDED,
    // The simulated chain
    sim_lock_head: 'It locks one row, and reads nothing.',
    sim_mine: CHAIN_HEAD,
    sim_record_orphaned: CHAIN_HEAD,
    sim_record_dropped: CHAIN_HEAD,
    sim_insert_transfers: FIRST_WINS,
    sim_copy_head: 'It copies the row that it locks, which is read again.',
    sim_move_transfers: 'The caller has locked the head of the chain that they leave.',
    sim_discard_transfers: DISCARDED,
    sim_discard_heads: DISCARDED,
    // Ops
    begin_worker_drain: FIRST_WINS,
    end_worker_drain: OWN_ROW,
    insert_operator_action: NEW_ROWS,
    erase_payment: UNDER_PAYMENT,
    replace_event_bodies: UNDER_PAYMENT,
    erase_logs_of_payment:
      'The caller has locked the payment. An attempt that is recorded later is of the event without the customer.',
    beat_process: OWN_ROW,
    probe_writes: 'It writes no row: its condition is never true.',
    end_process: OWN_ROW,
    sweep_processes: OWN_ROW,
    restore_missing_jobs:
      'An older look makes a job too many, which finds nothing to do; the next freeze corrects its clock.',
    resume_chain: OWN_ROW,
    rescan_chain: OWN_ROW,
    halt_chain_to_forget: OWN_ROW,
    forget_chain: OWN_ROW,
    requeue_jobs: 'SKIP LOCKED on the jobs, which are read again; the caller has locked their test clocks.',
  },
  readsMore: {
    release_parked_jobs: 'The jobs are read again; the caller has locked the payments of their test clocks.',
  },
};
