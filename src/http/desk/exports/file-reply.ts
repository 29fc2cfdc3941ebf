import { recordAction } from '../../../domain/audit/record.ts';
import { fileOf, type ExportFormat } from '../../../domain/exports/file.ts';
import { actorOf, type AtMerchant, type Download } from '../shell/route.ts';
import type { ExportSlots } from './slots.ts';

interface File {
  readonly name: string;
  readonly format: ExportFormat;
  /** For the audit log: what is let out. */
  readonly details: object;
  readonly pages: AsyncIterable<readonly string[]>;
  readonly isContinued: boolean;
}

/**
 * Answers with a file; null: there is no slot for it. The entry of the audit log stands before the first
 * byte: a file that breaks off has let data out as well.
 */
export async function fileReply(
  visit: AtMerchant,
  slots: ExportSlots,
  { name, format, details, pages, isContinued }: File,
): Promise<Download | null> {
  const { ctx, merchant } = visit;
  const { merchant_id: merchantId, mode } = merchant;
  const onEnd = slots.take(merchantId);
  if (onEnd === null) return null;
  try {
    await recordAction(ctx.db, { at: ctx.now(), ...actorOf(visit), merchantId, command: 'export', details });
  } catch (error) {
    onEnd();
    throw error;
  }
  return {
    file: { name: `${mode}-${name}.${format}`, format },
    text: fileOf(pages, { format, isContinued }),
    onEnd,
  };
}
