import * as secp256k1 from '@bitcoinerlab/secp256k1';
import { BIP32Factory } from 'bip32';
import { networks, Psbt, Transaction } from 'bitcoinjs-lib';
import { remember, type BuiltTransaction } from './bitcoin-blocks.ts';
import { bitcoinKey, MNEMONIC, ROOT_KEY, seedOf } from './wallets.ts';

/** The phrase's master key in another library, with private keys: the owner's own wallet. */
const ROOT = BIP32Factory(secp256k1).fromSeed(seedOf(MNEMONIC), networks.regtest);

/** The descriptor of an account of the phrase on test networks, as its wallet exports it. */
export function descriptorOf(account: number): string {
  const fingerprint = ROOT_KEY.fingerprint.toString(16).padStart(8, '0');
  return `wpkh([${fingerprint}/84h/1h/${account}h]${bitcoinKey('tpub', account)}/0/*)`;
}

/** The same with its private key, of the addresses that are shown (0) or of those for change (1). */
export function privateDescriptorOf(account: number, branch: 0 | 1): string {
  return `wpkh(${ROOT.toBase58()}/84h/1h/${account}h/${branch}/*)`;
}

/** Reads a PSBT as bitcoinjs-lib does. */
export const parsePsbt = (base64: string): Psbt => Psbt.fromBase64(base64, { network: networks.regtest });

/** Signs all inputs of a PSBT by what it says of their keys, and returns the transaction. */
export function signPsbt(psbt: Psbt): BuiltTransaction {
  psbt.signAllInputsHD(ROOT).finalizeAllInputs();
  return rememberHex(psbt.extractTransaction(true).toHex());
}

/** Returns a transaction that somebody else has made, so that it can be mined. */
export function rememberHex(hex: string): BuiltTransaction {
  const built = { id: Transaction.fromHex(hex).getId(), hex, spends: [], coins: [] };
  remember(built);
  return built;
}

/** Returns the same payment with a higher fee, which its change pays: what wallets call a bump. */
export const bumped = (base64: string, address: string, satoshi: bigint): Psbt =>
  changed(base64, (psbt) =>
    psbt.txOutputs.map(({ script, value, address: to }, i) => ({
      script,
      value: to === address ? value : value - satoshi,
      ...psbt.data.outputs[i],
    })),
  );

/** Returns a payment of all the coins to somebody else. */
export const spentElsewhere = (base64: string, address: string, satoshi: bigint): Psbt =>
  changed(base64, () => [{ address, value: satoshi }]);

type Outputs = Parameters<Psbt['addOutputs']>[0];

function changed(base64: string, outputsOf: (psbt: Psbt) => Outputs): Psbt {
  const before = parsePsbt(base64);
  const after = new Psbt({ network: networks.regtest });
  before.txInputs.forEach(({ hash, index, sequence }, i) =>
    after.addInput({ hash, index, ...(sequence !== undefined && { sequence }), ...before.data.inputs[i] }),
  );
  return after.addOutputs(outputsOf(before));
}
