import { hexToBytes } from '@noble/hashes/utils.js';
import { raised, readSigned, signTransaction, type Transaction } from '../chain/keys/sign.ts';
import { keccak } from '../chain/evm/proofs/rlp.ts';
import { standingOf } from '../wallets/flush/follow.ts';
import { nonceOf, type Node } from '../wallets/flush/node.ts';
import { compare, subtract } from '../../platform/values/money.ts';
import type { NetworkSettings } from './settings.ts';
import type { SignedEntry } from './journal.ts';
import { limitMet } from './limits.ts';
import { accountOf, signNext, type Signer } from './signer.ts';
import { endPayout, holdAccount, readOpenPayouts, type OpenPayout, type PayoutState } from './store.ts';
import { feeCap, feeUsd, send, type Fees } from './take.ts';

/** So many payouts are looked at in one pass; those of later numbers wait for them. */
const FOLLOWED = 50;
/** The same bytes are sent again after so long: pools forget. */
const SEND_AGAIN_MS = 30_000;
const BUMP_SECONDS = 120;
/** What is mined for as long, and not final, is not: no network takes as long. */
const NEVER_FINAL_MS = 6 * 3_600_000;

/**
 * Looks what became of what was signed. What a final block has is paid, for the signer: the refund is
 * completed by what the watcher reads. What no block has is sent again, and the oldest for more gas; it is
 * cancelled where somebody else has paid the refund.
 */
export async function followPayouts(signer: Signer, node: Node, settings: NetworkSettings): Promise<void> {
  const account = accountOf(signer, node.coins.network);
  let isFirst = true;
  for (const payout of await readOpenPayouts(signer.db, account, FOLLOWED)) {
    const { nonce, state, refund_id } = payout;
    const [stored, hashes] = [new Set(payout.hashes), signer.journal.hashesOf(refund_id)];
    if (stored.size !== hashes.size || ![...hashes].every((hash) => stored.has(hash))) {
      await holdAccount(signer.db, account, `the row of ${refund_id} was changed`);
      continue;
    }
    const own = [...hashes].map((tx_hash) => ({ tx_hash, nonce, account: account.address }));
    const standing = await standingOf(node, own);
    if (standing === 'mined') await assertFinal(signer, account, payout);
    else if (standing === 'unmined') {
      if (state === 'signed') await sendAgain(signer, node, payout, settings, isFirst);
      isFirst = false;
    } else if (standing.tx_hash === null) await holdForeign(signer, node, payout);
    else await end(signer, node, payout, [standing.tx_hash, standing.outcome === 'flushed']);
  }
}

type Account = ReturnType<typeof accountOf>;

const FAILED = 'its transaction failed, and moved nothing but gas';
const CANCELLED = 'nothing was paid: its refund was completed by another transaction';

async function end(
  signer: Signer,
  node: Node,
  payout: OpenPayout,
  [tx_hash, hasMoved]: readonly [string, boolean],
): Promise<void> {
  const account = accountOf(signer, node.coins.network);
  // A number that is used by a final transaction is below the account's.
  if ((await nonceOf(node, account.address, node.final)) <= Number(payout.nonce))
    return contradict(signer, account, `says that ${tx_hash} is final, and its number not used`);
  const { refund_id } = payout;
  const [state, because] = ((): [PayoutState, string | null] => {
    if (isCancel(account, rawOf(payout, tx_hash))) return ['cancelled', CANCELLED];
    return hasMoved ? ['paid', null] : ['held', FAILED];
  })();
  await endPayout(signer.db, { refund_id, state, because, tx_hash, now: signer.now() });
  const reason = because === null ? {} : { reason: because };
  signer.log[state === 'held' ? 'warn' : 'info'](`a payout is ${state}`, { refund_id, tx_hash, ...reason });
}

async function assertFinal(signer: Signer, account: Account, { sent_at }: OpenPayout): Promise<void> {
  const what = 'says for hours that a payout is mined, and never that it is final, or another one does not';
  if (signer.now().getTime() - sent_at.getTime() > NEVER_FINAL_MS) await contradict(signer, account, what);
}

/** The number was used by a transaction that is none of ours: whoever sent it has the key. */
async function holdForeign(signer: Signer, node: Node, payout: OpenPayout): Promise<void> {
  const { refund_id, hashes, nonce, state } = payout;
  const account = accountOf(signer, node.coins.network);
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionByHash', params: [hash] }));
  if ((await node.provider.batch(calls)).some((one) => one !== null))
    return contradict(signer, account, `has a transaction of number ${nonce}, and says that another used it`);
  if (state === 'held') return;
  const because = `number ${nonce} was used by none of its transactions`;
  await endPayout(signer.db, { refund_id, state: 'held', because, tx_hash: null, now: signer.now() });
  await holdAccount(signer.db, account, because);
  signer.log.error('a payout is held, and its account', { refund_id, reason: because });
}

async function contradict(signer: Signer, account: Account, what: string): Promise<void> {
  await holdAccount(signer.db, account, `a provider contradicts itself: it ${what}`);
  signer.log.error('an account is held', { network: account.network, reason: what });
}

/**
 * Sends the newest bytes again, or better paid ones of the same number where it is the first that waits. What
 * pays a refund that is completed is never sent again: one that moves nothing takes its number, which those
 * behind it wait for.
 */
async function sendAgain(
  signer: Signer,
  node: Node,
  payout: OpenPayout,
  settings: NetworkSettings,
  isFirst: boolean,
): Promise<void> {
  const now = signer.now().getTime();
  const wait = (signer.settings.bumpAfterSeconds ?? BUMP_SECONDS) * 1_000;
  const hash = payout.hashes.at(-1) ?? '';
  const raw = rawOf(payout, hash);
  if (raw === null) return;
  const isToCancel = payout.is_stopped && !isCancel(accountOf(signer, node.coins.network), raw);
  if (isToCancel || (isFirst && now - payout.sent_at.getTime() >= wait)) {
    const better = await signAgain(signer, node, payout, settings, { raw, isToCancel });
    if (better !== null) return send(signer, node, better);
  }
  if (isToCancel || now - (signer.sent.get(hash) ?? 0) < SEND_AGAIN_MS) return;
  await send(signer, node, { hash, raw });
}

/** The bytes of a payout with a hash that the journal knows; null: the row has others. */
function rawOf({ hashes, raws }: OpenPayout, hash: string): string | null {
  const raw = raws[hashes.indexOf(hash)] ?? '';
  return /^([0-9a-f]{2})+$/.test(raw) && keccak(hexToBytes(raw)) === hash ? raw : null;
}

/** True for a transaction to the account itself: no payout goes there. */
const isCancel = ({ address }: Account, raw: string | null): boolean =>
  raw !== null && Buffer.from(readSigned(hexToBytes(raw)).to).toString('hex') === address.slice(2);

interface Again {
  readonly raw: string;
  /** It moves nothing from now on. */
  readonly isToCancel: boolean;
}

/** Signs a number again for an eighth more gas; null: that is above a limit, or something is held. */
async function signAgain(
  signer: Signer,
  node: Node,
  { refund_id: refund, intent_hash: intent }: OpenPayout,
  settings: NetworkSettings,
  { raw: newest, isToCancel }: Again,
): Promise<SignedEntry | null> {
  const network = node.coins.network;
  const before = readSigned(hexToBytes(newest));
  const fees = higherFees(before, node, feeCap(settings));
  const what = { refund_id: refund, network };
  if (fees === null) {
    if (isToCancel) signer.log.warn('a payout is not cancelled: gas is above maxFeePerGasGwei', what);
    return null;
  }
  const usdOf = (fee: bigint) => feeUsd(settings, node, before.gas, fee);
  const usd = subtract(usdOf(fees.maxFeePerGas), usdOf(before.maxFeePerGas));
  // Only the fee is more.
  const method = `${node.coins.native}/${network}`;
  const moved = { method, amount: '0', usd: compare(usd, '0') > 0 ? usd : '0' };
  const at = signer.now();
  const spent = { at: at.getTime(), ...moved };
  const because = limitMet(signer.settings, signer.journal.spent(spent.at), spent);
  if (because !== null) {
    signer.log.warn('a payout waits, for more gas is above a limit', { ...what, reason: because });
    return null;
  }
  const higher = { ...before, ...(isToCancel ? nothingTo(signer.key.address) : {}), ...fees };
  const entry = await signNext(signer, network, async () => {
    const { raw, hash } = await signTransaction(signer.key, higher);
    const made = { kind: 'signed', at: at.toISOString(), refund, intent, network } as const;
    const bytes = { nonce: higher.nonce, hash, raw: raw.toString('hex') };
    return { ...made, account: signer.key.address, ...bytes, ...moved };
  });
  const done = isToCancel ? 'cancelled' : 'signed again for more gas';
  if (entry !== null) signer.log.info(`a payout was ${done}`, what);
  return entry;
}

/** Returns the fees by which a transaction replaces another; null: they are above the most. */
function higherFees(before: Transaction, node: Node, most: bigint): Fees | null {
  const asked = raised(before.maxFeePerGas, node.maxFeePerGas);
  const maxFeePerGas = asked < most ? asked : most;
  const maxPriorityFeePerGas = raised(before.maxPriorityFeePerGas, node.maxPriorityFeePerGas);
  const isEnough = maxFeePerGas >= raised(before.maxFeePerGas, 0n) && maxPriorityFeePerGas <= maxFeePerGas;
  return isEnough ? { maxFeePerGas, maxPriorityFeePerGas } : null;
}

/** The gas of any transfer suffices for one of nothing. */
const nothingTo = (address: string) => ({
  to: hexToBytes(address.slice(2)),
  value: 0n,
  input: new Uint8Array(),
});
