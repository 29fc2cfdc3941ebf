import { ENDED, FIRST_WINS, LOCKED_ROWS, NEW_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

const UNDER_PERSON =
  'The caller has locked the person in an earlier statement; who changes the password or begins a session does.';
const UNDER_MERCHANT =
  'The caller has locked the merchant in an earlier statement; who changes its members or invites more does.';

const UNDER_KEEPER =
  'The caller has locked the membership in an earlier statement; who keeps or renames a view does.';

/** The people of the desk, their sessions and second factors. */
export const PEOPLE: Reasons = {
  right: {
    insert_person: FIRST_WINS,
    lock_person: LOCKED_ROWS,
    set_password_of_person: UNDER_PERSON,
    // Members and invitations
    insert_membership: FIRST_WINS,
    set_role_of_member: UNDER_MERCHANT,
    delete_membership: UNDER_MERCHANT,
    insert_invitation: NEW_ROWS,
    delete_passed_invitations: ENDED,
    withdraw_invitations_of_inviter: UNDER_MERCHANT,
    withdraw_invitation: OWN_ROW,
    use_invitation: OWN_ROW,
    // Views of payments
    lock_keeper_of_views: LOCKED_ROWS,
    keep_payment_view: UNDER_KEEPER,
    rename_payment_view: UNDER_KEEPER,
    delete_payment_view: OWN_ROW,
    // Sessions
    insert_person_session: NEW_ROWS,
    end_oldest_sessions: UNDER_PERSON,
    prove_session: OWN_ROW,
    see_person_session: OWN_ROW,
    end_person_session: OWN_ROW,
    end_sessions_of_person: UNDER_PERSON,
    delete_sign_in_links: UNDER_PERSON,
    use_sign_in_link: OWN_ROW,
    take_sign_in_token: OWN_ROW,
    return_sign_in_token: OWN_ROW,
    revoke_devices_of_person: UNDER_PERSON,
    note_device_of_person: OWN_ROW,
    forget_oldest_devices:
      'By an older look a device more or less is forgotten, and told as a new one some day.',
    delete_ended_sessions:
      'Rows that somebody uses at this moment are skipped: locked, they are as they were read.',
    forget_unseen_devices:
      'Rows that somebody uses at this moment are skipped: locked, they are as they were read.',
    delete_ended_invitations: ENDED,
    // The way back
    reset_person: UNDER_PERSON,
    insert_password_link: NEW_ROWS,
    set_token_of_password_link: OWN_ROW,
    delete_password_link: OWN_ROW,
    use_password_link: OWN_ROW,
    delete_password_links_of_address:
      'A link that is asked for meanwhile stays: the owner of the mailbox has it.',
    delete_ended_password_links: ENDED,
    // Passkeys
    insert_passkey: FIRST_WINS,
    count_use_of_passkey: OWN_ROW,
    delete_passkey: UNDER_PERSON,
    insert_passkey_challenge: 'It inserts a new row, and deletes others that have ended, which never change.',
    take_passkey_challenge: OWN_ROW,
    delete_ended_passkey_challenges: ENDED,
    // Second factors
    set_totp_factor: UNDER_PERSON,
    use_totp_step: OWN_ROW,
    insert_recovery_codes: UNDER_PERSON,
    delete_recovery_codes: UNDER_PERSON,
    use_recovery_code: OWN_ROW,
    lock_totp_factors_of_other_keys: LOCKED_ROWS,
    replace_totp_factors_ciphertexts: 'The rows were locked by the statement before.',
  },
  readsMore: {},
};
