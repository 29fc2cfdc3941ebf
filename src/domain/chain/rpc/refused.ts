/** Why what a provider sent is not believed. */
export type Refusal =
  /** It has not the form that the method promises. */
  | 'malformed'
  /** It contradicts the hash of its block, or what is known of the chain. */
  | 'inconsistent'
  /** The URL serves another chain. */
  | 'wrong_chain';

/**
 * Thrown for what a provider sent and must not be believed: nothing of it is used. The text names blocks and
 * fields, and never what was sent: that could be anything, the key of a URL too.
 */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly kind: Refusal;

  constructor(kind: Refusal, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Throws Refused unless what was sent agrees with what is known. */
export function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Refused('inconsistent', message);
}
