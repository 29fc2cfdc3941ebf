import type { NetworkId } from '../networks.ts';
import type { BlockOfTransfer, ChainPage, Wait, Watch } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { ProviderError } from '../rpc/provider-error.ts';
import type { Providers } from '../rpc/providers.ts';
import { isFault, NO_PROVIDER, type Questions } from '../rpc/questions.ts';
import { Refused } from '../rpc/refused.ts';
import { Branch } from './branch.ts';
import { readCursor, stateAbove, writeCursor, type State } from './cursor.ts';
import type { Progress } from './read-branch.ts';

/** What a poll reads with: one provider, and which addresses are ours. */
export interface Asked {
  readonly provider: JsonRpc;
  readonly watch: Watch;
  readonly now: Date;
}

/** What a network has of its own in a poll. */
export interface Polled {
  readonly network: NetworkId;
  readonly providers: Providers;
  readonly questions: Questions;
  /** Throws what speaks against a provider, before it serves a poll. */
  check(provider: JsonRpc, now: Date): Promise<void>;
  /** Returns the state with which the network begins: at its final height. */
  begin(provider: JsonRpc): Promise<State>;
  /** Reads from the tip towards the head and, once it is reached, what waits for the next block. */
  read(asked: Asked, progress: Progress): Promise<ChainPage['next']>;
  /** The height of the block that the network calls safe, where it does. */
  safeHeight?(tipHash: string): number;
}

/** Reads a network page by page. Where no provider serves a poll, its page says when to ask again. */
export class Poller {
  readonly #polled: Polled;
  /** That with which the last poll began: what it has, the service has stored. */
  #final: BlockOfTransfer | null = null;

  constructor(polled: Polled) {
    this.#polled = polled;
  }

  get final(): BlockOfTransfer | null {
    return this.#final;
  }

  /** See ChainClient. */
  async poll(cursor: string | null, watch: Watch, now: Date): Promise<ChainPage> {
    const { providers, questions } = this.#polled;
    const provider = providers.next(now);
    let progress = cursor === null ? null : await this.#progressFrom(cursor, { watch, now });
    if (provider === null) {
      if (progress === null) throw NO_PROVIDER;
      return this.#page(progress, this.#wait(NO_PROVIDER, now), now);
    }
    try {
      await this.#polled.check(provider, now);
      progress ??= await this.#progressFrom(await this.#polled.begin(provider), { watch, now });
      const next = await this.#polled.read({ provider, watch, now }, progress);
      progress.branch.giveUp(next === 'head');
      return this.#page(progress, next, now);
    } catch (error) {
      if (!isFault(error)) throw error;
      questions.fail(provider, error, now);
      // Where nothing was read yet there is no head for a page.
      if (progress === null || progress.branch.tip.hash === null) throw error;
      return this.#page(progress, this.#wait(error, now), now);
    }
  }

  /** Returns where the poll that wrote a cursor, or left a state, came; a cursor may also be a height. */
  async #progressFrom(
    cursor: string | State,
    { watch, now }: { watch: Watch; now: Date },
  ): Promise<Progress> {
    const { network } = this.#polled;
    const known = typeof cursor === 'string' ? readCursor(cursor) : cursor;
    const state = typeof known === 'number' ? stateAbove(known, await watch.standing(network, known)) : known;
    const { height, hash } = state.final;
    if (hash !== null) this.#final = { height, hash };
    return { branch: new Branch(network, state, now), head: null };
  }

  #page({ branch, unsure = [] }: Progress, next: ChainPage['next'], now: Date): ChainPage {
    const { final, tip } = branch;
    if (tip.hash === null) throw NO_PROVIDER;
    const safe = this.#polled.safeHeight?.(tip.hash) ?? 0;
    return {
      head: { ...tip, hash: tip.hash },
      finalHeight: final.height,
      safeHeight: Math.max(final.height, Math.min(safe, tip.height)),
      unsure,
      transfers: branch.changes(),
      cursor: writeCursor(branch.state()),
      // A block of a branch that turns out to be none may name any time: no deadline passes early by it.
      scannedUntil: tip.time < now ? tip.time : now,
      next,
      providers: this.#polled.providers.health(now),
    };
  }

  #wait(error: ProviderError | Refused, now: Date): Wait {
    return {
      waitSeconds: Math.max(1, Math.ceil(this.#polled.providers.secondsUntilNext(now))),
      why: error instanceof Refused ? 'inconsistent' : 'behind',
    };
  }
}
