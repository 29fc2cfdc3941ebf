import { recordAction } from '../../../domain/audit/record.ts';
import { fileOf, type ExportFormat } from '../../../domain/exports/file.ts';
import type { Right } from '../../../domain/people/rights/roles.ts';
import { mayStill } from '../../../domain/people/sessions/still.ts';
import { patiently } from '../../../platform/postgres/patience.ts';
import { actorOf, type AtMerchant, type Download } from '../shell/route.ts';
import type { ExportSlots } from './slots.ts';

interface File {
  readonly name: string;
  readonly format: ExportFormat;
  /** What its reader needs to its end. */
  readonly right: Right;
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
  { name, format, right, details, pages, isContinued }: File,
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
  const allowed = whileAllowed(visit, right, pages);
  return {
    file: { name: `${mode}-${name}.${format}`, format, hasHeader: !isContinued },
    text: fileOf(slots.inTurn(merchantId, allowed), { format, isContinued }),
    onEnd,
  };
}

/**
 * A file takes minutes, or as long as its reader likes: who is signed out or removed meanwhile gets no
 * further page.
 */
async function* whileAllowed(
  { ctx, session, merchant: { merchant_id: merchantId } }: AtMerchant,
  right: Right,
  pages: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  let isFirst = true;
  for await (const page of pages) {
    const named = { sessionId: session.id, merchantId, right };
    if (!isFirst && !(await patiently(() => mayStill(ctx.db, named, ctx.now()))))
      throw new Error('its person was signed out, or may read it no more');
    isFirst = false;
    yield page;
  }
}
