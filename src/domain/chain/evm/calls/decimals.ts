import { decimalsOf, type CoinId } from '../../coins.ts';
import type { NetworkId } from '../../networks.ts';
import { ChainHalted } from '../../port.ts';
import { demand } from '../../rpc/refused.ts';
import type { JsonRpc } from '../../rpc/json-rpc.ts';
import type { Providers } from '../../rpc/providers.ts';
import { isUnable, type Questions } from '../../rpc/questions.ts';

/** decimals(), ERC-20. */
const DECIMALS = '0x313ce567';

/** The tokens of a network, by their contracts. */
interface Tokens {
  readonly network: NetworkId;
  readonly tokens: ReadonlyMap<string, CoinId>;
}

/** A token whose contract has other decimals than the table. */
export interface WrongDecimals {
  readonly coin: CoinId;
  readonly contract: string;
  readonly said: string;
  readonly expected: number;
}

/**
 * Returns the tokens of which a provider says other decimals than the table. A contract that is not there, or
 * that tells none, contradicts nothing.
 */
export async function wrongDecimals(
  provider: JsonRpc,
  { network, tokens }: Tokens,
): Promise<WrongDecimals[]> {
  const all = await Promise.all(
    [...tokens].map(async ([contract, coin]) => {
      const call = { to: contract, data: DECIMALS };
      const sent = await provider.call('eth_call', call, 'latest').catch((error: unknown) => {
        if (isUnable(error)) return null;
        throw error;
      });
      const isSaid = typeof sent === 'string' && /^0x[0-9a-f]{64}$/i.test(sent);
      const expected = decimalsOf(coin, network);
      return { coin, contract, said: isSaid ? String(BigInt(sent)) : null, expected };
    }),
  );
  return all.filter((one): one is WrongDecimals => one.said !== null && one.said !== String(one.expected));
}

/** Which providers have shown that they serve the chain, and that its tokens are those of the table. */
export class TokenCheck {
  readonly #tokens: Tokens;
  readonly #providers: Providers;
  readonly #questions: Questions;
  readonly #checked = new WeakSet<JsonRpc>();

  constructor(tokens: Tokens, providers: Providers, questions: Questions) {
    this.#tokens = tokens;
    this.#providers = providers;
    this.#questions = questions;
  }

  /**
   * Asks a provider before its first poll. Throws ChainHalted where a token has other decimals than the
   * table: every amount of it would be wrong by powers of ten. Throws Refused for who says so alone.
   */
  async check(provider: JsonRpc, now: Date): Promise<void> {
    await this.#questions.check(provider);
    if (this.#checked.has(provider)) return;
    const [wrong] = await wrongDecimals(provider, this.#tokens);
    if (wrong !== undefined) {
      demand(
        !(await this.#isAlone(provider, wrong, now)),
        `provider ${provider.name} says of ${wrong.coin} what no other one says: ${wrong.said} decimals`,
      );
      throw new ChainHalted(
        `${wrong.coin} on ${this.#tokens.network} has ${wrong.said} decimals by its contract ` +
          `${wrong.contract}, and ${wrong.expected} in the table: no amount of it would be right. Correct ` +
          'src/networks, or TESTNET_TOKENS, and resume',
      );
    }
    this.#checked.add(provider);
  }

  /** False where a provider of another host says the same, or where there is none. */
  async #isAlone(provider: JsonRpc, { coin, said }: WrongDecimals, now: Date): Promise<boolean> {
    const ask = (other: JsonRpc) => wrongDecimals(other, this.#tokens);
    for await (const others of this.#questions.others(provider, ask, now))
      return !others.some((other) => other.coin === coin && other.said === said);
    return this.#providers.others(provider, now).length > 0;
  }
}
