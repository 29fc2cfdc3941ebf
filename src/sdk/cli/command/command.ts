import type { Output } from '../terminal/output.ts';
import type { Terminal } from '../terminal/terminal.ts';

export interface Option {
  readonly name: string;
  /** What stands for its value in help, such as URL, and N for a whole number; without it, it is a flag. */
  readonly value?: string;
  readonly isNeeded: boolean;
  /** May be given several times. */
  readonly isList: boolean;
  /** The only values, one or several separated by commas. */
  readonly choices?: readonly string[];
  readonly text: string;
}

/**
 * Declares an option by its form, `name VALUE`; without a value it is a flag. `VALUE!` is needed, `VALUE+`
 * may be given several times.
 */
export function option(form: string, text: string, choices?: readonly string[]): Option {
  const [, name = '', value, mark] = /^([\w-]+)(?: ([A-Z=]+)([!+]?))?$/.exec(form) ?? [];
  return {
    name,
    text,
    isNeeded: mark === '!',
    isList: mark === '+',
    ...(value === undefined ? {} : { value }),
    ...(choices === undefined ? {} : { choices }),
  };
}

export interface Parameter {
  readonly name: string;
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

/** What a command was called with. */
export interface Call {
  readonly terminal: Terminal;
  readonly output: Output;
  /** The parameters, in their order; an optional one may be missing. */
  readonly words: readonly string[];
  readonly values: Values;
}

export interface Command {
  /** Its words, such as `payments create`. */
  readonly name: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly options?: readonly Option[];
  /** What stands behind the program's name. */
  readonly example: string;
  /** Returns the exit code. */
  readonly run: (call: Call) => Promise<number>;
}

/** The call is wrong, and nothing was done: exit code 2. */
export class UsageError extends Error {}

/** What was asked for failed; the message says what to do: exit code 1. */
export class CommandError extends Error {}

/** The values of a call's options, which parseCall has checked. */
export class Values {
  readonly #given: Readonly<Record<string, unknown>>;

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#given = given;
  }

  has(name: string): boolean {
    return this.#given[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#given[name];
    return typeof value === 'string' ? value : undefined;
  }

  texts(name: string): readonly string[] {
    const value = this.#given[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  number(name: string): number | undefined {
    const text = this.text(name);
    return text === undefined ? undefined : Number(text);
  }
}
