import {
  approvePayout,
  grantRole,
  holdPayout,
  readAccounts,
  readPayouts,
  releaseAccount,
  releasePayout,
  signApproval,
  type ListedPayout,
  type PayoutAccount,
} from '../../../domain/payouts/decide.ts';
import { isCompleted, REFUND_STATUSES } from '../../../domain/payments/refunds/states.ts';
import { intentHash, readIntent } from '../../../domain/payments/refunds/by-signer/intent.ts';
import { isNetwork } from '../../../domain/chain/networks.ts';
import { realChains } from '../../../domain/chain/profile.ts';
import { compare } from '../../../platform/values/money.ts';
import { actorName } from '../actor.ts';
import { OpsUsageError, type OpsCommand, type OpsValues } from '../shared/command.ts';
import { asUsageError } from './merchants.ts';

const REFUND = { type: 'string', value: 'REFUND', meaning: 'a refund, ref_...', isNeeded: true } as const;
const MOST = 200;

const list: OpsCommand = {
  summary: 'lists what the signer is asked to pay, what it made of that, and its accounts',
  description: 'Exit code 1 when the signer holds a payout or an account; not for what an operator holds.',
  options: { all: { type: 'boolean', meaning: `also those that are paid, the newest ${MOST}` } },
  changes: () => false,
  async run({ db }, values) {
    const [payouts, accounts] = [
      await readPayouts(db, { all: values.has('all'), limit: MOST }),
      await readAccounts(db),
    ];
    const isBad =
      payouts.some(
        ({ state, held_by, refund_status }) =>
          held_by === null &&
          (state === 'paid twice' || (['held', 'cancelled'].includes(state) && !isPaid(refund_status))),
      ) || accounts.some(({ held_because }) => held_because !== null);
    const lines = [...accounts.map(accountText), ...payouts.map(inOneLine).map(payoutText)];
    const text = lines.length === 0 ? 'The signer was asked for nothing.' : lines.join('\n');
    return { facts: { accounts, payouts }, text, isBad };
  },
};

/** Whoever may insert an intent may write lines of the list into it. */
const inOneLine = <Row extends object>(row: Row): Row => {
  const clean = (value: unknown) => (typeof value === 'string' ? value.replaceAll(/\s+/g, ' ') : value);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, clean(value)])) as Row;
};

/** By the chain: of a refund that somebody has paid nothing is to be done. */
const isPaid = (status: string | null): boolean =>
  REFUND_STATUSES.some((one) => one === status && isCompleted(one));

const accountText = ({ network, address, next_nonce, held_because, seen_at }: PayoutAccount): string =>
  `${network} ${address}: next number ${next_nonce}, last seen ${seen_at?.toISOString() ?? 'never'}` +
  (held_because === null ? '' : `\n  HELD: ${held_because}`);

function payoutText(payout: ListedPayout): string {
  const { refund_id, state, amount, coin, network, address, because, tx_hash, refund_status } = payout;
  const known = refund_status === null ? 'NO SUCH REFUND' : `refund ${refund_status}`;
  return (
    `${refund_id} ${state}: ${amount} ${coin} on ${network} to ${address} (${known})` +
    `${tx_hash === null ? '' : `, ${tx_hash}`}${because === null ? '' : `\n  ${because}`}`
  );
}

const approve: OpsCommand = {
  summary: 'approves a payout, with the key of a person whom the configuration of the signer names',
  description:
    'Say all of it from where the refund was agreed, not from this database: what differs is not approved.',
  options: {
    refund: REFUND,
    address: { type: 'string', value: 'ADDRESS', meaning: 'where the money goes', isNeeded: true },
    amount: {
      type: 'string',
      value: 'AMOUNT',
      meaning: 'how much, in the coin',
      isNeeded: true,
    },
    coin: { type: 'string', value: 'COIN', meaning: 'which coin: USDC', isNeeded: true },
    network: { type: 'string', value: 'NETWORK', meaning: 'where: ethereum', isNeeded: true },
    approver: { type: 'string', value: 'NAME', meaning: 'as the configuration names you', isNeeded: true },
    'key-file': {
      type: 'string',
      value: 'FILE',
      meaning: 'your key (openssl genpkey -algorithm ed25519), mode 0600',
      isNeeded: true,
    },
  },
  changes: () => true,
  async run({ db, config, systemNow }, values) {
    const id = values.text('refund') ?? '';
    const intent = await readIntent(db, id);
    if (intent === null) throw noPayout(id);
    const asked = inOneLine(intent);
    const { network, coin } = asked;
    const [address, amount] = [values.text('address') ?? '', values.text('amount') ?? ''];
    const isSame =
      [amount, intent.amount].every((one) => /^\d{1,40}(\.\d{1,18})?$/.test(one)) &&
      compare(amount, intent.amount) === 0 &&
      values.text('coin') === coin &&
      values.text('network') === network &&
      address.toLowerCase() === intent.address.toLowerCase();
    if (!isSame)
      throw new OpsUsageError(
        `Not approved: ${id} asks for ${asked.amount} ${coin} on ${network} to ${asked.address}.`,
      );
    const by = values.text('approver') ?? '';
    const chainId = isNetwork(network) ? realChains(config).chainIdOf(network) : null;
    const approval = await signApproval(intent, chainId, values.text('key-file') ?? '').catch(asUsageError);
    await approvePayout(db, { id, by, approval, now: systemNow() });
    const changed = { refund: id, approver: by, network, coin, amount, address, intent: intentHash(intent) };
    return { facts: changed, text: `${by} has approved ${amount} ${coin} to ${address}.`, changed };
  },
};

const hold: OpsCommand = {
  summary: 'holds a payout: nothing is signed for it until it is released',
  options: { refund: REFUND },
  changes: () => true,
  async run({ db, config, systemNow }, values) {
    const id = values.text('refund') ?? '';
    const held = await holdPayout(db, { id, by: actorName(config), now: systemNow() });
    if (held === null) throw noPayout(id);
    const { is_signed } = held;
    const text = is_signed ? `${id} was signed before: it is not called back.` : `${id} is held.`;
    return { facts: { refund: id, is_signed }, text, isBad: is_signed, changed: { refund: id, is_signed } };
  },
};

const release: OpsCommand = {
  summary: 'lets the signer look again at a payout that is held, or at an account',
  description:
    'Every limit still holds. What was signed is never signed again: pay it by hand where it was lost.',
  options: {
    refund: { type: 'string', value: 'REFUND', meaning: 'a refund, ref_...' },
    network: { type: 'string', value: 'NETWORK', meaning: 'whose accounts sign again' },
  },
  changes: () => true,
  async run({ db }, values) {
    const [id, network] = [values.text('refund'), values.text('network')];
    if ((id === null) === (network === null))
      throw new OpsUsageError('payouts release needs --refund or --network');
    const isReleased = id === null ? await releaseAccount(db, network ?? '') : await releasePayout(db, id);
    const what = id ?? network ?? '';
    const text = isReleased
      ? `${what} is looked at again.`
      : `${what} is not held, or it was signed: see payouts list.`;
    return {
      facts: { released: isReleased, refund: id, network },
      text,
      isBad: !isReleased,
      ...(isReleased ? { changed: id === null ? { network } : { refund: id } } : {}),
    };
  },
};

const grant: OpsCommand = {
  summary: 'grants a role what the signer, or a worker, may do with payouts, and nothing more of them',
  description:
    'The role exists: whoever owns the database may not create one everywhere. Run it again after a restore.',
  options: {
    signer: { type: 'string', value: 'ROLE', meaning: 'the role of SIGNER_DATABASE_URL' },
    worker: { type: 'string', value: 'ROLE', meaning: 'a role of workers that does not own the tables' },
  },
  changes: () => true,
  async run({ db }, values) {
    const roles = [roleOf(values, 'signer'), roleOf(values, 'worker')].filter((one) => one !== null);
    if (roles.length === 0) throw new OpsUsageError('payouts grant needs --signer or --worker');
    for (const { role, kind } of roles)
      await grantRole(db, role, kind === 'signer').catch((error: unknown) => {
        const isUnknown = error instanceof Error && 'code' in error && error.code === '42704';
        throw isUnknown ? new OpsUsageError(`There is no role ${role}: CREATE ROLE it first.`) : error;
      });
    const text = roles.map(({ role, kind }) => `${role} has the rights of a ${kind}.`).join('\n');
    return { facts: { roles }, text, changed: { roles } };
  },
};

function roleOf(values: OpsValues, kind: 'signer' | 'worker') {
  const role = values.text(kind);
  return role === null ? null : { role, kind };
}

const noPayout = (id: string) =>
  new OpsUsageError(`The signer was not asked to pay ${id}: see payouts list.`);

export const PAYOUT_COMMANDS: Readonly<Record<string, OpsCommand>> = {
  'payouts list': list,
  'payouts approve': approve,
  'payouts hold': hold,
  'payouts release': release,
  'payouts grant': grant,
};
