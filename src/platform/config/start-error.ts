/**
 * The process cannot start until the operator changes something. The message says it all; no stack is shown.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
  /** The exit code of a command that fails with it. */
  readonly exitCode: number = 1;
}

/** Thrown at start; `message` names every faulty variable, its fault and its accepted values. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';

  /** `faults`: one sentence for each variable, without its value where that may be a secret. */
  constructor(faults: readonly string[]) {
    super(`The configuration cannot be used:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/** Throws ConfigError with all faults, where there are any: an operator corrects them in one go. */
export function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults);
}
