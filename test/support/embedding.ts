import type { Harness } from './harness.ts';

/** Allows pages of `origins`, and of no others, to show the merchant's checkout pages in a frame. */
export async function allowEmbedding(
  { ctx }: Harness,
  merchantId: string,
  origins: readonly string[],
): Promise<void> {
  await ctx
    .db('merchant_faces')
    .insert({ merchant_id: merchantId, embed_origins: origins, updated_at: ctx.now() })
    .onConflict('merchant_id')
    .merge();
}
