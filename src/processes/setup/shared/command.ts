import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';

/** A mistake in the command line: exit code 2, so that scripts can tell it from what a command found. */
export class OpsUsageError extends StartError {
  override readonly exitCode = 2;
}

/** What an operator's command found or did. */
export interface OpsResult {
  /** What `--json` prints. */
  readonly facts: object;
  readonly text: string;
  /** Something is wrong: exit code 1. */
  readonly isBad?: boolean;
  /** What it changed, or let out, for operator_actions: ids and options, no secrets; absent: nothing. */
  readonly changed?: object;
}

/** An option of a command, as `--help` shows it. */
export interface OpsOption {
  readonly type: 'string' | 'boolean';
  /** What its value is, for the help; absent of a switch. */
  readonly value?: string;
  readonly meaning: string;
  readonly isNeeded?: true;
}

/** The values of a command's options; absent: not given. */
export interface OpsValues {
  text(name: string): string | null;
  has(name: string): boolean;
}

/** Where a command writes beside its result. */
export interface OpsOutput {
  /** One line that the next one replaces; only where a person looks. */
  progress(line: string): void;
  /** Writes rows to standard output, and waits while it is full. */
  write(text: string): Promise<void>;
  /** `line` is for a person: it goes beside the rows. */
  end(line?: string): Promise<void>;
}

/** What the help and the command line know of a command. */
interface DescribedCommand {
  readonly summary: string;
  /** What the help says beyond the summary. */
  readonly description?: string;
  readonly options: Readonly<Record<string, OpsOption>>;
  /** Whether it changes something, or lets it out: then operator_actions need a name. */
  readonly changes: (values: OpsValues) => boolean;
}

/** A command of `npm run ops` on the database. */
export interface OpsCommand extends DescribedCommand {
  /** It may run before the release. */
  readonly isPreflight?: true;
  /** It knows the providers of real networks. */
  readonly readsChains?: true;
  run(ctx: Context, values: OpsValues, output: OpsOutput): Promise<OpsResult>;
}

/** A command of `npm run ops` that works on files: no database is opened. */
export interface FileCommand extends DescribedCommand {
  runOnFiles(values: OpsValues, output: OpsOutput): Promise<OpsResult>;
}

/** A command with its options, ready to run. */
export interface AskedCommand {
  readonly name: string;
  readonly json: boolean;
  /** Whether operator_actions need the name of who runs it. */
  readonly changes: boolean;
  /** See OpsCommand. */
  readonly isPreflight: boolean;
  readonly readsChains: boolean;
  /** It works on files, and needs no context; null: it works on the database. */
  readonly runOnFiles: ((output: OpsOutput) => Promise<OpsResult>) | null;
  /** Throws for a command that works on files. */
  run(ctx: Context, output: OpsOutput): Promise<OpsResult>;
}

/** Returns the time that an option gives, or null; throws OpsUsageError for what is no time. */
export function timeOf(values: OpsValues, name: string): Date | null {
  const text = values.text(name);
  if (text === null) return null;
  const isIso = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text);
  const time = new Date(text);
  if (isIso && !Number.isNaN(time.getTime())) return time;
  throw new OpsUsageError(`--${name} ${text} is no time: write 2026-01-31 or 2026-01-31T12:00:00Z.`);
}
