import { ExchangeError } from '../../../domain/exchange/port.ts';
import { refreshAccount, setAccount, slippageOf, type AccountFacts } from '../../../domain/exchange/set.ts';
import { listAccounts, retireAccount } from '../../../domain/exchange/store.ts';
import { StartError } from '../../../platform/config/config.ts';
import { asUsageError, assertMerchant, UsageError, type Command } from '../merchant-commands.ts';
import { assertSecretsKeyFits } from '../shared/secrets-key.ts';
import { readInput } from './read-value.ts';

const SLIPPAGE_PERCENT = '1';

/** The commands of `npm run merchants -- exchange`. */
export const EXCHANGE_COMMANDS: Readonly<Record<string, Command>> = {
  'exchange set': {
    needs: ['merchant'],
    takes: ['slippage-percent'],
    async run(ctx, { merchant: merchantId = '', 'slippage-percent': slippage = SLIPPAGE_PERCENT }) {
      await assertMerchant(ctx, merchantId);
      const slippagePercent = await Promise.resolve(slippage).then(slippageOf).catch(asUsageError);
      await assertSecretsKeyFits(ctx);
      const credentials = credentialsOf(await readInput(PROMPT));
      const asked = { merchantId, credentials, slippagePercent };
      const facts = await setAccount(ctx, asked).catch(asFault);
      return factsOf(merchantId, facts, { slippage_percent: slippagePercent });
    },
    notice: (_values, { unsold }) => noticeOf(unsold as readonly string[]),
  },
  'exchange refresh': {
    needs: ['merchant'],
    async run(ctx, { merchant: merchantId = '' }) {
      await assertMerchant(ctx, merchantId);
      return factsOf(merchantId, await refreshAccount(ctx, merchantId).catch(asFault));
    },
  },
  'exchange list': {
    needs: [],
    run: async (ctx) => ({ accounts: await listAccounts(ctx.db) }),
  },
  'exchange retire': {
    needs: ['merchant'],
    async run(ctx, { merchant: merchantId = '' }) {
      await assertMerchant(ctx, merchantId);
      return { merchant_id: merchantId, retired: await retireAccount(ctx.db, merchantId, ctx.now()) };
    },
    notice: () =>
      'What came there, or still comes, is sold as before: keep the API key until nothing is left.',
  },
};

export const EXCHANGE_USAGE = `  exchange set    --merchant ID [--slippage-percent ${SLIPPAGE_PERCENT}]
              sells what live payments bring at the merchant's account at Kraken, from 10 s later on; its API key
              comes by standard input, two lines: the key, and the private key
  exchange refresh --merchant ID
              reads its deposit addresses again, as after set-accepted-methods
  exchange list
              every account, without its API key
  exchange retire --merchant ID
              new payments no longer take money there; what came is still sold`;

const PROMPT = 'Paste the API key, Enter, the private key, Enter, and then Ctrl-D:';

/** Never shows what it read. */
function credentialsOf(input: string): { key: string; secret: string } {
  const [key, secret, ...rest] = input
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const isBase64 = (text: string) => /^[A-Za-z0-9+/]{20,200}={0,2}$/.test(text);
  if (key !== undefined && secret !== undefined && rest.length === 0 && isBase64(key) && isBase64(secret))
    return { key, secret };
  throw new UsageError(
    'Standard input must be two lines: the API key, and the private key, as Kraken shows them once',
  );
}

function factsOf(merchant_id: string, { addresses, unsold }: AccountFacts, more: object = {}) {
  return { merchant_id, exchange: 'kraken', ...more, addresses, unsold };
}

const noticeOf = (unsold: readonly string[]): string =>
  [
    ...(unsold.length === 0
      ? []
      : [
          `The merchant accepts ${unsold.join(', ')}, which Kraken does not sell for the settlement coin: pages do not offer it.`,
        ]),
    'An exchange has few deposit addresses for a coin: so many payments can be open at once, and no more.',
  ].join('\n');

function asFault(error: unknown): never {
  if (error instanceof ExchangeError) throw new StartError(`Kraken: ${error.message} (${error.reason}).`);
  return asUsageError(error);
}
