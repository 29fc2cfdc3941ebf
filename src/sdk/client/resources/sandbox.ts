import type { PostOptions } from '../http/options.ts';
import { idOf } from '../http/pages.ts';
import type { Send } from '../http/transport.ts';
import type {
  Advance,
  AdvanceReport,
  MarketRates,
  MoveRates,
  ReplacedTransfer,
  ReplaceTransfer,
  SendTransfer,
  Transfer,
} from '../types/sandbox.ts';
import type { RunScenario, Scenario } from '../types/scenarios.ts';

/** An advance takes at most 60 s, a scenario 10 s (contract, "Endpoints"). */
const ADVANCE_TIMEOUT_MS = 90_000;

/** What only test keys can do: act as the customer, and move the clock. */
export class Sandbox {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** Sends one transfer to the payment; by default what is still missing. */
  transfer(id: string, body: SendTransfer = {}, options?: PostOptions): Promise<Transfer> {
    return this.#send({ method: 'POST', path: `/v1/sandbox/payments/${idOf(id)}/transfers`, body }, options);
  }

  /** Replaces a seen transfer: by a double spend, or to speed it up. */
  replace(id: string, body: ReplaceTransfer = {}, options?: PostOptions): Promise<ReplacedTransfer> {
    return this.#send({ method: 'POST', path: `/v1/sandbox/payments/${idOf(id)}/replace`, body }, options);
  }

  /** Moves the market of the merchant's test payments; null: a coin's fixed price. Returns all prices. */
  rates(rates: MoveRates['rates'], options?: PostOptions): Promise<MarketRates> {
    return this.#send({ method: 'POST', path: '/v1/sandbox/rates', body: { rates } }, options);
  }

  /** Advances the payment's test clock, and returns what happened. Its `timeoutMs` is 90,000 by default. */
  advance(id: string, body: Advance, options?: PostOptions): Promise<AdvanceReport> {
    const slow = { timeoutMs: ADVANCE_TIMEOUT_MS, ...options };
    return this.#send({ method: 'POST', path: `/v1/sandbox/payments/${idOf(id)}/advance`, body }, slow);
  }

  /** Runs a scenario, by name or from a script, and returns what happened. */
  scenario(body: RunScenario, options?: PostOptions): Promise<Scenario> {
    return this.#send({ method: 'POST', path: '/v1/sandbox/scenarios', body }, options);
  }
}
