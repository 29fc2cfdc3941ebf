import { hexToBytes } from '@noble/hashes/utils.js';
import { raised, readSigned, signTransaction, type Transaction } from '../chain/keys/sign.ts';
import { keccak } from '../chain/evm/proofs/rlp.ts';
import { standingOf } from '../wallets/flush/follow.ts';
import { nonceOf, type Node } from '../wallets/flush/node.ts';
import { compare, subtract } from '../../platform/values/money.ts';
import type { NetworkSettings } from './settings.ts';
import { limitMet } from './limits.ts';
import { accountOf, signNext, type Signer } from './signer.ts';
import { endPayout, holdAccount, readOpenPayouts, type OpenPayout } from './store.ts';
import { feeCap, feeUsd, send } from './take.ts';

/** So many payouts are looked at in one pass; those of later numbers wait for them. */
const FOLLOWED = 50;
/** The same bytes are sent again after so long: pools forget. */
const SEND_AGAIN_MS = 30_000;
const BUMP_SECONDS = 120;
/** What is mined for as long, and not final, is not: no network takes as long. */
const NEVER_FINAL_MS = 6 * 3_600_000;

/**
 * Looks what became of what was signed. What a final block has is paid, for the signer: the refund is
 * completed by what the watcher reads. What no block has is sent again, and the oldest for more gas.
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
    else await end(signer, node, payout, standing.tx_hash, standing.outcome === 'flushed');
  }
}

type Account = ReturnType<typeof accountOf>;

async function end(signer: Signer, node: Node, payout: OpenPayout, txHash: string, isPaid: boolean) {
  const account = accountOf(signer, node.coins.network);
  // A number that is used by a final transaction is below the account's.
  if ((await nonceOf(node, account.address, node.final)) <= Number(payout.nonce))
    return contradict(signer, account, `says that ${txHash} is final, and its number not used`);
  const because = isPaid ? null : 'its transaction failed, and moved nothing but gas';
  const { refund_id } = payout;
  await endPayout(signer.db, {
    refund_id,
    state: isPaid ? 'paid' : 'held',
    because,
    tx_hash: txHash,
    now: signer.now(),
  });
  signer.log[isPaid ? 'info' : 'warn'](isPaid ? 'a payout is final' : 'a payout is held', {
    refund_id,
    tx_hash: txHash,
    ...(because === null ? {} : { reason: because }),
  });
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

/** Sends the newest bytes again, or better paid ones of the same number where it is the first that waits. */
async function sendAgain(
  signer: Signer,
  node: Node,
  payout: OpenPayout,
  settings: NetworkSettings,
  isFirst: boolean,
): Promise<void> {
  const now = signer.now().getTime();
  const wait = (signer.settings.bumpAfterSeconds ?? BUMP_SECONDS) * 1_000;
  if (isFirst && now - payout.sent_at.getTime() >= wait) {
    const better = await bump(signer, node, payout, settings);
    if (better !== null) return send(signer, node, better);
  }
  const { hash, raw } = newestOf(payout);
  if (raw === null || now - (signer.sent.get(hash) ?? 0) < SEND_AGAIN_MS) return;
  await send(signer, node, { hash, raw });
}

/** The newest bytes of a payout; null where the row has others than its hash, which the journal knows. */
function newestOf({ hashes, raws }: OpenPayout): { hash: string; raw: string | null } {
  const [hash = '', raw = ''] = [hashes.at(-1), raws.at(-1)];
  return { hash, raw: /^([0-9a-f]{2})+$/.test(raw) && keccak(hexToBytes(raw)) === hash ? raw : null };
}

/** Signs a payout again for an eighth more gas; null: that is above a limit, or something is held. */
async function bump(signer: Signer, node: Node, payout: OpenPayout, settings: NetworkSettings) {
  const { raw: newest } = newestOf(payout);
  if (newest === null) return null;
  const before = readSigned(hexToBytes(newest));
  const most = feeCap(settings);
  const higher: Transaction = {
    ...before,
    maxFeePerGas: least(raised(before.maxFeePerGas, node.maxFeePerGas), most),
    maxPriorityFeePerGas: raised(before.maxPriorityFeePerGas, node.maxPriorityFeePerGas),
  };
  const isEnough = higher.maxFeePerGas >= raised(before.maxFeePerGas, 0n);
  if (!isEnough || higher.maxPriorityFeePerGas > higher.maxFeePerGas) return null;
  const network = node.coins.network;
  const { refund_id: refund, intent_hash: intent } = payout;
  const usdOf = (fee: bigint) => feeUsd(settings, node, before.gas, fee);
  const usd = subtract(usdOf(higher.maxFeePerGas), usdOf(before.maxFeePerGas));
  // Only the fee is more.
  const moved = {
    method: `${node.coins.native}/${network}`,
    amount: '0',
    usd: compare(usd, '0') > 0 ? usd : '0',
  };
  const at = signer.now();
  const because = limitMet(signer.settings, signer.journal.spent(at.getTime()), {
    at: at.getTime(),
    ...moved,
  });
  if (because !== null) {
    signer.log.warn('a payout waits, for more gas is above a limit', { refund_id: refund, reason: because });
    return null;
  }
  const entry = await signNext(signer, network, async () => {
    const { raw, hash } = await signTransaction(signer.key, higher);
    const made = { kind: 'signed', at: at.toISOString(), refund, intent, network } as const;
    const bytes = { nonce: higher.nonce, hash, raw: raw.toString('hex') };
    return { ...made, account: signer.key.address, ...bytes, ...moved };
  });
  if (entry !== null) signer.log.info('a payout was signed again for more gas', { refund_id: refund });
  return entry;
}

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
