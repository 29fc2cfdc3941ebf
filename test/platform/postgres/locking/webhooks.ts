import { ENDED, FIRST_WINS, LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

const UNDER_ENDPOINTS = 'The caller has locked the endpoints in an earlier statement (leases/lease.ts).';
const RESTARTED =
  'It locks events against their sweep. The status of a delivery is read again at the row that it writes.';
const ONE_PROCESS = 'The feed is locked as a whole by the statement before; nobody else reads or writes it.';
const UNDER_REGISTRATION = 'The caller has locked the registration in an earlier statement.';
const UNDER_OWNER = 'The caller has locked the owner in an earlier statement; who changes its secrets does.';

/** Events, deliveries, endpoints, registrations and secrets. */
export const WEBHOOKS: Reasons = {
  right: {
    // Events
    add_event_mark: FIRST_WINS,
    delete_event_marks_before: ENDED,
    delete_event_marks: ONE_PROCESS,
    lock_old_events: 'SKIP LOCKED: it waits for nobody, and what it finds is asked again by the deletion.',
    delete_old_events:
      'Its events were locked by the statement before: a redelivery locks them too, and has committed or waits.',
    begin_epoch: NEW_ROWS,
    renumber_events: ONE_PROCESS,
    // Deliveries
    insert_deliveries:
      'It inserts rows whose ids follow from the event, and does nothing where they exist. Settings that change meanwhile count at the next look of the endpoint.',
    delete_old_deliveries_of_default:
      'Status is read again at the row; age, and the transaction of the event, never change.',
    delete_old_attempts_of_default:
      'A delivery that is inserted again has an event that the log of before tells nothing of; its attempts are new rows, which this does not see.',
    delete_old_redelivery_requests: ENDED,
    request_redelivery_to_listeners: 'It inserts a new row; what it reads of the delivery never changes.',
    restart_delivery: 'The delivery, and its event against the sweep, were locked by an earlier statement.',
    isolate_deliveries:
      'The endpoints were locked by the statement before; what is at another one stays. Status is read again.',
    // Endpoints
    lock_webhook_endpoints: LOCKED_ROWS,
    acquire_endpoints: UNDER_ENDPOINTS,
    record_outcomes_of_endpoints:
      'The caller has locked the endpoints. A delivery is read again at its row; attempts have unique numbers.',
    release_endpoint: OWN_ROW,
    end_leases_of_worker: 'Whose lease it is, is read again at the row once it is locked.',
    defer_job_to_lease_end:
      'It compares the version at the row: who releases the endpoint, or adds to it, increments that.',
    disable_endpoint:
      'Lease and status are read again at their rows. A delivery that is added meanwhile fails at its next try.',
    record_interrupted_attempts:
      'Only the owner adds to in_flight, and that is the caller. Attempts have unique numbers: an outcome that is recorded meanwhile stays.',
    restore_endpoint:
      'It does nothing where the endpoint exists; what it reads of the delivery and its event never changes.',
    enable_endpoints: OWN_ROW,
    enable_webhook_endpoint:
      'The hash of a URL never changes, nor does the id that follows from it; the row is read again.',
    delete_idle_endpoints:
      'The endpoints were locked by the statement before. A delivery that is added later restores its endpoint.',
    lock_merchant_while_webhooks_are_off: LOCKED_ROWS,
    lock_registration_while_it_is_off: LOCKED_ROWS,
    lock_webhook_config: LOCKED_ROWS,
    write_webhook_config: 'The caller has locked the merchant in an earlier statement.',
    // Registrations
    find_and_lock_endpoint_registration: LOCKED_ROWS,
    lock_merchant: LOCKED_ROWS,
    insert_endpoint_registration: NEW_ROWS,
    update_endpoint_registration: UNDER_REGISTRATION,
    delete_endpoint_registration: `${UNDER_REGISTRATION} Status is read again; a delivery that is added meanwhile fails at its next try.`,
    delete_ended_endpoint_registrations: ENDED,
    // Secrets
    lock_owner_of_webhook_secrets: LOCKED_ROWS,
    lock_owner_of_webhook_signing_keys: LOCKED_ROWS,
    end_webhook_secrets: UNDER_OWNER,
    end_endpoint_secrets: UNDER_OWNER,
    end_webhook_signing_keys: UNDER_OWNER,
    insert_webhook_secrets: NEW_ROWS,
    insert_endpoint_secrets: NEW_ROWS,
    insert_webhook_signing_keys: NEW_ROWS,
    delete_ended_webhook_secrets: ENDED,
    delete_ended_endpoint_secrets: ENDED,
    delete_ended_webhook_signing_keys: ENDED,
    lock_webhook_secrets_of_other_keys: LOCKED_ROWS,
    lock_endpoint_secrets_of_other_keys: LOCKED_ROWS,
    lock_webhook_signing_keys_of_other_keys: LOCKED_ROWS,
    lock_exchange_accounts_of_other_keys: LOCKED_ROWS,
    replace_exchange_accounts_ciphertexts: 'The rows were locked by the statement before.',
    replace_webhook_secrets_ciphertexts: 'The rows were locked by the statement before.',
    replace_endpoint_secrets_ciphertexts: 'The rows were locked by the statement before.',
    replace_webhook_signing_keys_ciphertexts: 'The rows were locked by the statement before.',
    replace_rotation_reply: OWN_ROW,
  },
  readsMore: {
    lock_owner_of_endpoint_secrets:
      'The table that it names is the one that it locks: whether it was deleted is read again.',
    lock_delivery_to_restart:
      'Both rows are locked, and what joins them never changes. All that decides is read afterwards.',
    lock_idle_endpoints: 'What it finds is asked again once it is locked, by the statement that deletes.',
    lock_endpoints_of_payment:
      'The statement that follows moves deliveries of these endpoints alone; what is added meanwhile stays.',
    restart_failed_deliveries: RESTARTED,
    restart_all_deliveries: RESTARTED,
    release_endpoints_unless_rescheduled:
      'The version of the job, read again at the lock, tells whether deliveries were added since the look.',
  },
};
