import { FIRST_WINS, LOCKED_ROWS, OWN_ROW, type Reasons } from './reasons.ts';

/** What the signer makes of intents, and operators of them. */
export const PAYOUTS: Reasons = {
  right: {
    stop_payout: FIRST_WINS,
    register_payout_account: OWN_ROW,
    see_payout_account: OWN_ROW,
    lock_payout_account: LOCKED_ROWS,
    lock_payout_accounts: LOCKED_ROWS,
    hold_payout_account: OWN_ROW,
    judge_payout: OWN_ROW,
    store_payout_attempt: OWN_ROW,
    raise_payout_nonce: OWN_ROW,
    end_payout: OWN_ROW,
    approve_payout: OWN_ROW,
    hold_payout: 'The caller has locked the accounts, and so does who stores what was signed.',
    release_payout:
      'Each of its tables is written by its own conditions: what was signed meanwhile stays as it is. A refund ' +
      'that is completed meanwhile is looked at once more, and ends again.',
    release_payout_accounts: OWN_ROW,
  },
  readsMore: {},
};
