import { hexToBytes } from '@noble/hashes/utils.js';
import { readSigned, signTransaction } from '../chain/keys/sign.ts';
import type { NetworkId } from '../chain/networks.ts';
import { quantity } from '../chain/evm/proofs/values.ts';
import { isUnable } from '../chain/rpc/questions.ts';
import { intentHash, readIntent, type DecidedIntent } from '../payments/refunds/by-signer/intent.ts';
import { broadcast, gasLeft, unitsAt, type Node } from '../wallets/flush/node.ts';
import { add, divide, multiply } from '../../platform/values/money.ts';
import { judgeApproval, judgeIntent, type Payable, type Refusal } from './judge.ts';
import type { SignedEntry } from './journal.ts';
import { limitMet } from './limits.ts';
import type { NetworkSettings } from './settings.ts';
import { accountOf, signNext, type Signer } from './signer.ts';
import { readOpenPayouts, storeJudgement } from './store.ts';

/** Fees by which a transaction is signed, within the configuration's. */
export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

const DEFAULT_MOST_GAS = 200_000;

/** Returns the most that a unit of gas may cost, in wei. */
export const feeCap = ({ maxFeePerGasGwei }: NetworkSettings): bigint =>
  BigInt(divide(multiply(maxFeePerGasGwei, '1000000000'), '1', 0, 'down'));

/** Returns what gas costs at most, in US dollars by the signer's own price of the native coin. */
export function feeUsd({ coins }: NetworkSettings, node: Node, gas: bigint, maxFeePerGas: bigint): string {
  const { native, network } = node.coins;
  const price = native === null ? undefined : coins[native]?.usd;
  if (native === null || price === undefined)
    throw new RangeError(`networks.${network}.coins lacks ${native}, of which fees are paid`);
  return multiply(node.coins.amountOf(native, gas * maxFeePerGas), price);
}

/** Signs and sends the payout of an intent, or stores why not. */
export async function takeUp(
  signer: Signer,
  node: Node,
  intent: DecidedIntent,
  settings: NetworkSettings,
): Promise<void> {
  const network = node.coins.network;
  const found = await judge(signer, node, intent, settings);
  const outcome = 'because' in found ? found : await sign(signer, node, intent, found);
  if (outcome === null) return;
  if ('because' in outcome) {
    const { because, isFinal } = outcome;
    await storeJudgement(signer.db, {
      refund_id: intent.refund_id,
      network,
      account: signer.key.address,
      state: isFinal ? 'held' : 'waiting',
      because,
      now: signer.now(),
    });
    if (isFinal)
      signer.log.warn('a payout is held', { refund_id: intent.refund_id, network, reason: because });
    return;
  }
  signer.log.info('a payout was signed', { refund_id: intent.refund_id, network, tx_hash: outcome.hash });
  await send(signer, node, outcome);
}

/** Gives bytes that are stored to every provider. */
export async function send(signer: Signer, node: Node, { hash, raw }: { hash: string; raw: string }) {
  signer.sent.set(hash, signer.now().getTime());
  if (!(await broadcast(node, { raw: hexToBytes(raw), hash })))
    signer.log.warn('no provider has taken a payout yet: the same bytes are sent again', { tx_hash: hash });
}

/** What is signed, but for its number. */
interface Ready extends Payable, Fees {
  readonly gas: bigint;
  readonly usd: string;
}

async function judge(
  signer: Signer,
  node: Node,
  intent: DecidedIntent,
  settings: NetworkSettings,
): Promise<Ready | Refusal> {
  const payable = judgeIntent(signer, node.coins.network, intent);
  if ('because' in payable) return payable;
  const most = feeCap(settings);
  if (node.maxPriorityFeePerGas > most || (node.maxFeePerGas - node.maxPriorityFeePerGas) / 2n > most)
    return { because: 'gas costs more than maxFeePerGasGwei', isFinal: false };
  const maxFeePerGas = node.maxFeePerGas < most ? node.maxFeePerGas : most;
  const mostGas = BigInt(settings.maxGas ?? DEFAULT_MOST_GAS);
  const worth = multiply(intent.amount, payable.own.usd);
  const refusal = limitOf(signer, intent, worth) ?? judgeApproval(signer, node.coins.network, intent, worth);
  if (refusal !== null) return refusal;
  const short = await shortOf(signer, node, payable, mostGas * maxFeePerGas);
  if (short !== null) return { because: short, isFinal: false };
  const gas = await gasOf(signer, node, payable);
  if (gas === null) return { because: 'the node says that the transfer would fail', isFinal: false };
  if (gas > mostGas) return { because: `it needs ${gas} gas, above maxGas`, isFinal: true };
  const { maxPriorityFeePerGas } = node;
  const usd = add(worth, feeUsd(settings, node, gas, maxFeePerGas));
  return { ...payable, gas, usd, maxFeePerGas, maxPriorityFeePerGas };
}

function limitOf({ settings, journal, now }: Signer, intent: DecidedIntent, usd: string): Refusal | null {
  const at = now().getTime();
  const { coin, network, amount } = intent;
  const because = limitMet(settings, journal.spent(at), { at, method: `${coin}/${network}`, amount, usd });
  return because === null ? null : { because, isFinal: true };
}

/** Returns what the account has too little of, in words; what is on its way has left it. */
async function shortOf(signer: Signer, node: Node, payable: Payable, fee: bigint): Promise<string | null> {
  const { address } = accountOf(signer, node.coins.network);
  const open = await readOpenPayouts(signer.db, accountOf(signer, node.coins.network), 1_000);
  const signed = open.filter(({ state }) => state === 'signed');
  // Those of erased payments are gone.
  const onTheirWay = signed.flatMap(({ raws }) => raws.slice(-1).map((raw) => readSigned(hexToBytes(raw))));
  const native = onTheirWay.reduce(
    (sum, { value, gas, maxFeePerGas }) => sum + value + gas * maxFeePerGas,
    0n,
  );
  const left = await gasLeft(node, address);
  if (left.units < native + payable.value + fee)
    return `the account ${left.text}: too little for it and its fee`;
  if (payable.data === '0x') return null;
  const place = { address, coin: payable.coin };
  const held = (await unitsAt(node, [place], 'latest')).get(place) ?? 0n;
  const ofToken = onTheirWay
    .filter(({ to }) => Buffer.from(to).toString('hex') === payable.to.slice(2).toLowerCase())
    .reduce((sum, { input }) => sum + unitsIn(input), 0n);
  if (held >= ofToken + unitsIn(hexToBytes(payable.data.slice(2)))) return null;
  return `the account holds too little ${payable.coin}`;
}

/** The second argument of transfer(address,uint256). */
const unitsIn = (input: Uint8Array): bigint =>
  BigInt(`0x0${Buffer.from(input.subarray(36, 68)).toString('hex')}`);

/** Returns the gas of a transfer with a quarter more; null: it would fail. */
async function gasOf(
  { key }: Signer,
  { provider }: Node,
  { to, value, data }: Payable,
): Promise<bigint | null> {
  const call = { from: key.address, to, value: `0x${value.toString(16)}`, data };
  try {
    return (quantity(await provider.call('eth_estimateGas', call)) * 5n) / 4n;
  } catch (error) {
    if (isUnable(error)) return null;
    throw error;
  }
}

async function sign(
  signer: Signer,
  node: Node,
  intent: DecidedIntent,
  ready: Ready,
): Promise<SignedEntry | Refusal | null> {
  const { refund_id: refund, coin, amount } = intent;
  const network: NetworkId = node.coins.network;
  const { gas, value, maxFeePerGas, maxPriorityFeePerGas, usd, hash: intentOf } = ready;
  const refusal = limitOf(signer, intent, usd);
  if (refusal !== null) return refusal;
  const signNumber = async (nonce: number): Promise<SignedEntry> => {
    const [to, input] = [hexToBytes(ready.to.slice(2)), hexToBytes(ready.data.slice(2))];
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    const transaction = { chainId: node.chainId, nonce, ...fees, gas, to, value, input };
    const { raw, hash } = await signTransaction(signer.key, transaction);
    const made = { kind: 'signed', at: signer.now().toISOString(), refund, intent: intentOf } as const;
    const moved = { method: `${coin}/${network}`, amount, usd };
    const bytes = { nonce, hash, raw: raw.toString('hex') };
    return { ...made, network, account: signer.key.address, ...bytes, ...moved };
  };
  return signNext(signer, network, signNumber, async (tx) => {
    // Whoever holds it has the lock of the account as well: they see what was signed, or this sees the hold.
    const now = await readIntent(tx, refund);
    const isSame = (one: keyof DecidedIntent) => now?.[one] === intent[one];
    return (
      now !== null &&
      !signer.journal.hasSigned(refund) &&
      intentHash(now) === intentOf &&
      !now.is_stopped &&
      isSame('held_by') &&
      isSame('approval') &&
      isSame('approved_by')
    );
  });
}
