import type { StoredEvent } from '../shop.ts';
import type { Again, Step, Story } from './stories.ts';

/** A chain with a service that reads it: where a payment's story is acted out. */
export interface Stage {
  /** Puts a transfer into the pool, and lets the service read it there. Returns its hash. */
  pay(amount: string): Promise<string>;
  /** Moves money in a block that is mined at once. Returns the transaction's hash. */
  payByContract(amount: string): Promise<string>;
  /** Mines a block, its usual time after the one before, and lets the service read it and do what is due. */
  block(): Promise<void>;
  pass(minutes: number): Promise<void>;
  reorganise(depth: number, again: Again, txHash: string): Promise<void>;
  /** Returns the hash of the transaction that wins. */
  replace(txHash: string, by: 'the same money' | 'another payment'): Promise<string>;
  events(): Promise<StoredEvent[]>;
}

/**
 * Acts a story out, and returns the events of its payment as far as stages can have them in common: one of
 * them has checkpoints, or none.
 */
export async function act(stage: Stage, { steps }: Story, hasCheckpoints: boolean): Promise<Told[]> {
  const hashes: string[] = [];
  for (const step of steps) hashes.push(...(await perform(stage, step, hashes.at(-1) ?? '')));
  return (await stage.events()).map((event) => comparable(event, hashes, hasCheckpoints));
}

export type Told = ReturnType<typeof comparable>;

async function perform(stage: Stage, step: Step, last: string): Promise<string[]> {
  switch (step.do) {
    case 'pay':
      return [await stage.pay(step.amount)];
    case 'pay by contract':
      return [await stage.payByContract(step.amount)];
    case 'mine':
      for (let blocks = 0; blocks < step.blocks; blocks += 1) await stage.block();
      return [];
    case 'pass':
      await stage.pass(step.minutes);
      return [];
    case 'reorganise':
      await stage.reorganise(step.depth, step.again, last);
      return [];
    default:
      return [await stage.replace(last, step.by)];
  }
}

/**
 * The differences that are in the nature of chains, all of them: names and times, transactions by their place
 * in the story, and whose money settles. Where a checkpoint decides, and no number of blocks, the blocks of
 * what has become final are not compared.
 */
function comparable(
  { id: _id, timestamp: _at, data, ...event }: StoredEvent,
  hashes: readonly string[],
  hasCheckpoints: boolean,
) {
  const { checkout, payment, settlement, ...more } = data;
  const isFinal = ['PROCESSING', 'SETTLED', 'EXPIRED'].includes(checkout.status);
  return {
    ...event,
    data: {
      ...more,
      checkout: { ...checkout, id: null, settledAt: checkout.settledAt !== null },
      payment: {
        ...payment,
        txHash: payment.txHash === null ? null : hashes.indexOf(payment.txHash),
        ...(hasCheckpoints ? { requiredConfirmations: null } : {}),
        ...(hasCheckpoints && isFinal ? { confirmations: null } : {}),
      },
      settlement: { ...settlement, mode: null },
    },
  };
}
