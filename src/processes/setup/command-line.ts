import { parseArgs } from 'node:util';
import { messageOf } from '../../platform/log.ts';
import { PERMISSIONS } from '../../domain/api/endpoint.ts';
import { EXCHANGE_COMMANDS, EXCHANGE_USAGE } from './wallets/exchange.ts';
import { PEOPLE_COMMANDS, PEOPLE_OPTIONS, PEOPLE_USAGE } from './people/commands.ts';
import { COMMANDS as OF_MERCHANTS, UsageError, type Command, type Values } from './merchant-commands.ts';
import { WALLET_COMMANDS, WALLET_OPTIONS, WALLET_USAGE } from './wallets/commands.ts';
import { assertNoSecretIn } from './wallets/read-value.ts';

export const USAGE = `Usage: npm run merchants -- COMMAND [options]

  create      --name NAME --currency COIN --network NETWORK [--mode M] [--permissions a,b] [--policy P] [--email E]
              a merchant, its first API key and its webhook secret
  list        every merchant with its keys
  add-key     --merchant ID [--permissions a,b]
              one more API key
  revoke-key  --merchant ID --key KEY_OR_PREFIX
              ends a key within 10 s
  set-policy  --merchant ID --policy P
              what new payments do with too little, late or too much money, from 10 s later at the latest
  set-spread  --merchant ID --bps N
              basis points (100 are 1 %) that customers pay above the market in every coin but the settlement coin
  set-accepted-methods --merchant ID --methods COIN/NETWORK,...
              what else than the settlement coin live payments take, as it comes: ETH/ethereum,USDC/polygon, or none
  reseal-secrets
              encrypts with the first key of SECRETS_KEY every webhook secret that another key holds
  set-email   --merchant ID --email E
              where the merchant is notified of a disabled webhook endpoint, and of changed wallets
${PEOPLE_USAGE}
${WALLET_USAGE}
${EXCHANGE_USAGE}

  --json         one JSON object instead of text
  --mode         test (default): may use the sandbox; live: may not. A merchant is of one mode for good
  --policy       JSON, for example '{"underpaid":"accept","underpaid_tolerance_percent":1}'; what is left out is the service's default
  --permissions  default: all of ${PERMISSIONS.join(',')}
${PEOPLE_OPTIONS}
${WALLET_OPTIONS}

Works on DATABASE_URL, or on the embedded database of npm run dev.`;

/** Every command of `npm run merchants`. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  ...OF_MERCHANTS,
  ...PEOPLE_COMMANDS,
  ...WALLET_COMMANDS,
  ...EXCHANGE_COMMANDS,
};
/** The first words of commands of two: what stands behind them may be a secret. */
const GROUPS: readonly (string | undefined)[] = ['wallet', 'exchange'];

/**
 * Returns the command that the arguments name, with the values of its options; null where they ask for help.
 * Throws UsageError for an unknown command, and for a missing or unknown option.
 */
export function parseCommand(
  args: readonly string[],
): { name: string; command: Command; values: Values; json: boolean } | null {
  if (args.includes('--help') || args.includes('-h')) return null;
  const isOfGroup = GROUPS.includes(args[0]);
  // Else the name of the command alone is repeated.
  assertNoSecretIn(isOfGroup ? args : args.slice(0, 1));
  const name = args.slice(0, isOfGroup ? 2 : 1).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    throw new UsageError(
      `${name === '' ? 'A command is missing' : `There is no command ${isOfGroup ? `of this name of ${args[0] ?? ''}` : name}`}.\n\n${USAGE}`,
    );
  const taken = [...command.needs, ...(command.takes ?? [])];
  const options = Object.fromEntries(taken.map((option) => [option, { type: 'string' as const }]));
  const { json, ...values } = parseOptions(
    args.slice(isOfGroup ? 2 : 1),
    { ...options, json: { type: 'boolean' } },
    isOfGroup,
  );
  const missing = command.needs.filter((option) => !values[option]?.toString().trim());
  if (missing.length > 0)
    throw new UsageError(
      `${name} needs ${missing.map((option) => `--${option}`).join(' and ')}.\n\n${USAGE}`,
    );
  // Lists of merchants are read line by line, and mails name the shop.
  if (/\p{Cc}/u.test(String(values.name ?? '')))
    throw new UsageError(`--name must be one line without control characters.\n\n${USAGE}`);
  return { name, command, values, json: json === true };
}

/**
 * `isSilent`: the message shows no argument, because it may be a part of a secret that was not recognised.
 */
function parseOptions(
  args: string[],
  options: Record<string, { type: 'string' | 'boolean' }>,
  isSilent: boolean,
) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    const fault = isSilent ? 'There is an argument that this command does not take.' : messageOf(error);
    throw new UsageError(`${fault}\n\n${USAGE}`);
  }
}
