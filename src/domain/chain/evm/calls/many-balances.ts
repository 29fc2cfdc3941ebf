import { demand } from '../../rpc/refused.ts';
import type { JsonRpc } from '../../rpc/json-rpc.ts';
import { isUnable } from '../../rpc/questions.ts';
import { dataBytes, quantity } from '../proofs/values.ts';

/**
 * Code that is never deployed: `eth_call` runs it as a creation, and it returns what addresses hold. Behind
 * it stand a token's contract, or nothing for the native coin, and the addresses, a word each.
 */
const CODE = `0x${[
  '606a380380', // 00 size = the code's size - 6a
  '606a61010039', // 05 memory[100] = the words behind the code
  '6370a0823160e01b600052', // 0b memory[0] = selector of balanceOf
  '6020', // 16 i = 20
  '5b81811015606057', // 18 loop: i >= size: 60
  '80610100015161010051', // 20 address, and token
  '80603357', // 2a there is a token: 33
  '5031605356', // 2e what the address holds of the native coin: 53
  '5b90600452', // 33 memory[4] = address
  '6020604060246000845afa', // 38 call the token
  '3d601f1016', // 43 it succeeds, and answers with a word
  '90506040519015', // 48 the word, and whether it is none
  '60000317', // 4f all bits of one that is none
  '5b816101000152', // 53 memory[100 + i] = what it holds
  '602001601856', // 5a i += 20: 18
  '5b5060209003610120f3', // 60 return the words behind the token
].join('')}`;

/** Addresses in one request: their balances take less than half of the gas that nodes give a call. */
const AT_ONCE = 500;
const NO_ANSWER = (1n << 256n) - 1n;

/**
 * Returns what addresses hold of a coin after a block, in units: many in one request, which providers count.
 * Null: its contract does not say. By the block's hash: a node that has not its state fails, instead of
 * answering from another.
 */
export async function unitsOfMany(
  provider: JsonRpc,
  contract: string | null,
  addresses: readonly string[],
  blockHash: string,
): Promise<(bigint | null)[]> {
  const at = { blockHash, requireCanonical: true };
  const found: (bigint | null)[] = [];
  for (let i = 0; i < addresses.length; i += AT_ONCE)
    found.push(...(await unitsOf({ provider, contract, at }, addresses.slice(i, i + AT_ONCE))));
  return found;
}

interface Asking {
  readonly provider: JsonRpc;
  readonly contract: string | null;
  readonly at: object;
}

async function unitsOf(asking: Asking, addresses: readonly string[]): Promise<(bigint | null)[]> {
  const { provider, contract, at } = asking;
  const words = [contract ?? '0x0', ...addresses].map((one) => one.slice(2).padStart(64, '0'));
  try {
    const sent = dataBytes(await provider.call('eth_call', { data: `${CODE}${words.join('')}` }, at));
    demand(sent.length === addresses.length * 32, `provider ${provider.name} answers for other addresses`);
    return addresses.map((_, i) => {
      const units = BigInt(`0x${sent.toString('hex', i * 32, i * 32 + 32)}`);
      return units === NO_ANSWER ? null : units;
    });
  } catch (error) {
    if (!isUnable(error) || addresses.length === 1) throw error;
    // Either the node gives a call less gas, or it has not the state: then nobody's balance.
    await provider.call('eth_getBalance', addresses[0], at).then(quantity);
    const half = Math.ceil(addresses.length / 2);
    const first = await unitsOf(asking, addresses.slice(0, half));
    return [...first, ...(await unitsOf(asking, addresses.slice(half)))];
  }
}
