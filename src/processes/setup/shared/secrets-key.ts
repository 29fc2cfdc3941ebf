import { listMerchants } from '../../../domain/merchants/store.ts';
import { readSecrets } from '../../../domain/webhooks/secrets/read.ts';
import { MERCHANT_SECRETS } from '../../../domain/webhooks/secrets/store.ts';
import { StartError } from '../../../platform/config/config.ts';
import type { Context } from '../../../platform/context.ts';
import { messageOf } from '../../../platform/log.ts';

/**
 * Throws StartError unless SECRETS_KEY is that of web and worker: with another, every webhook would fail. One
 * who moved to another cell has no secret here.
 */
export async function assertSecretsKeyFits(ctx: Context): Promise<void> {
  try {
    for (const { merchant_id: id } of (await listMerchants(ctx.db)).toReversed())
      if ((await readSecrets(ctx, MERCHANT_SECRETS, id)).length > 0) return;
  } catch (error) {
    throw new StartError(
      `The secrets in this database were sealed with another SECRETS_KEY than the one set here (${messageOf(error)}). Set the one of web and worker.`,
    );
  }
}
