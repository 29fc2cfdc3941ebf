import { ENDED, FIRST_WINS, LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

/** To be read, or known to be wrong: whoever repairs it writes the reason. In the end none is left. */
const OPEN = 'OPEN';
const UNDER_OWNER = 'The caller has locked the owner in an earlier statement; who changes its secrets does.';

/** Events, deliveries, endpoints, registrations and secrets. */
export const WEBHOOKS: Reasons = {
  right: {
    // Events
    add_event_mark: FIRST_WINS,
    delete_event_marks_before: ENDED,
    delete_event_marks: OPEN,
    delete_old_events: OPEN,
    begin_epoch: NEW_ROWS,
    renumber_events: OPEN,
    // Deliveries
    insert_deliveries: OPEN,
    delete_old_deliveries_of_default: OPEN,
    delete_old_attempts_of_default: OPEN,
    delete_old_redelivery_requests: ENDED,
    request_redelivery_to_listeners: OPEN,
    restart_delivery: OPEN,
    restart_deliveries: OPEN,
    isolate_deliveries: OPEN,
    // Endpoints
    release_endpoint: OWN_ROW,
    defer_job_to_lease_end: OPEN,
    disable_endpoint: OPEN,
    record_interrupted_attempts: OPEN,
    restore_endpoint: OPEN,
    enable_endpoints: OWN_ROW,
    enable_webhook_endpoint: OPEN,
    delete_idle_endpoints: OPEN,
    lock_merchant_while_webhooks_are_off: LOCKED_ROWS,
    lock_registration_while_it_is_off: LOCKED_ROWS,
    lock_webhook_config: LOCKED_ROWS,
    write_webhook_config: OPEN,
    // Registrations
    find_and_lock_endpoint_registration: LOCKED_ROWS,
    lock_merchant_for_registration: LOCKED_ROWS,
    insert_endpoint_registration: OPEN,
    update_endpoint_registration: OPEN,
    delete_endpoint_registration: OPEN,
    delete_ended_endpoint_registrations: OPEN,
    // Secrets
    lock_owner_of_webhook_secrets: LOCKED_ROWS,
    lock_owner_of_endpoint_secrets: LOCKED_ROWS,
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
    replace_webhook_secrets_ciphertexts: 'The rows were locked by the statement before.',
    replace_endpoint_secrets_ciphertexts: 'The rows were locked by the statement before.',
    replace_webhook_signing_keys_ciphertexts: 'The rows were locked by the statement before.',
    replace_rotation_reply: OPEN,
  },
  readsMore: {
    acquire_endpoints: OPEN,
    release_endpoints_unless_rescheduled: OPEN,
    record_outcomes_of_endpoints: OPEN,
  },
};
