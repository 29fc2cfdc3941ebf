import { verify } from 'node:crypto';
import { isAddress } from '../chain/addresses.ts';
import { isCoin, isCoinOn, isInUnits, type CoinId } from '../chain/coins.ts';
import { walletTransaction } from '../chain/demand/wallet-uri.ts';
import type { NetworkId } from '../chain/networks.ts';
import { intentHash, type DecidedIntent } from '../payments/refunds/by-signer/intent.ts';
import { compare } from '../../platform/values/money.ts';
import { chainsOfSigner, type Signer } from './signer.ts';
import type { CoinSettings } from './settings.ts';

/** An intent that may be signed, as far as its own fields and the configuration say. */
export interface Payable {
  readonly coin: CoinId;
  readonly own: CoinSettings;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
  readonly hash: string;
}

/** Why an intent is not signed; `isFinal`: until a person has looked. */
export interface Refusal {
  readonly because: string;
  readonly isFinal: boolean;
}

const AMOUNT = /^\d{1,40}(\.\d{1,18})?$/;
/** Those of the service; another text, which may be long, is written nowhere. */
const ID = /^\w{1,64}$/;
const refuse = (because: string): Refusal => ({ because, isFinal: true });

/** Judges the fields of an intent: whoever can write the database may have written any of them. */
export function judgeIntent(signer: Signer, network: NetworkId, intent: DecidedIntent): Payable | Refusal {
  const { settings, key, journal } = signer;
  const { coin, amount, address, merchant_id, refund_id } = intent;
  // Whoever owns the database owns the types of its columns.
  const texts: readonly unknown[] = [refund_id, intent.payment_id, merchant_id, coin, amount, address];
  if (!texts.every((text) => typeof text === 'string')) return refuse('a column has another type');
  if (![refund_id, intent.payment_id, merchant_id].every((id) => ID.test(id))) return refuse('an id is none');
  if (journal.hasSigned(refund_id))
    return refuse('it was signed before, and its row was lost: look for its transaction in the journal');
  const own = settings.networks[network]?.coins[coin];
  if (own === undefined || !isCoin(coin) || !isCoinOn(coin, network))
    return refuse(`${coin} on ${network} is not in the signer's configuration`);
  if (settings.merchants !== undefined && !settings.merchants.includes(merchant_id))
    return refuse(`${merchant_id} is not among the merchants of the signer's configuration`);
  if (!AMOUNT.test(amount) || compare(amount, '0') <= 0 || !isInUnits(amount, coin, network))
    return refuse('the amount is none');
  const chains = chainsOfSigner(signer);
  if (!isAddress(network, address, chains.addressChains)) return refuse('the address is none');
  const to = address.toLowerCase();
  const among = (list: readonly string[] = []) => list.some((one) => one.toLowerCase() === to);
  if (among(settings.deny)) return refuse('the address is on the deny list');
  if (settings.allow !== undefined && !among(settings.allow))
    return refuse('the address is not on the allow list');
  if (to === key.address || BigInt(to) === 0n)
    return refuse('the address is that of the account, or of nobody');
  const sent = walletTransaction({ coin, network, address: to, amount, chains });
  if (sent === null || chains.contractOf(coin, network) === undefined)
    return refuse(`${coin} has no contract on ${chains.nameOf(network)}`);
  const hash = intentHash(intent);
  return { coin, own, to: sent.to, value: BigInt(sent.value), data: sent.data, hash };
}

/**
 * Judges the approval of an intent that is worth so much. An approval that does not fit what the intent says
 * now is refused also where none is needed: it was changed after a person had looked.
 */
export function judgeApproval(
  signer: Pick<Signer, 'settings'>,
  network: NetworkId,
  intent: DecidedIntent,
  usd: string,
): Refusal | null {
  const { fromUsd, approvers } = signer.settings.approval;
  const { approval, approved_by } = intent;
  if (approval === null)
    return compare(usd, fromUsd) < 0
      ? null
      : { because: `it needs an approval: it is worth ${usd} USD`, isFinal: false };
  const key = approvers.get(approved_by ?? '');
  if (key === undefined) return refuse('it was approved by somebody whom the configuration does not name');
  const text = approvalText(chainsOfSigner(signer).chainIdOf(network), intentHash(intent));
  return verify(null, text, key, Buffer.from(approval, 'base64'))
    ? null
    : refuse('it is not what was approved');
}

/** What an approver signs: an approval of a test network is none of the main one. */
export const approvalText = (chainId: number | null, hash: string): Buffer =>
  Buffer.from(`payment-checkout payout ${chainId} ${hash}`);
