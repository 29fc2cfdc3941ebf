import { exportRows, type ExportRange } from '../../src/domain/exports/rows.ts';
import type { ExportKind } from '../../src/domain/exports/statements.ts';
import type { Context } from '../../src/platform/context.ts';

/** A row of an export. */
export type ExportRow = Readonly<Record<string, unknown>>;

/** Reads an export to its end. */
export async function exported(ctx: Context, kind: ExportKind, range: ExportRange): Promise<ExportRow[]> {
  const rows: ExportRow[] = [];
  for await (const page of exportRows(ctx, kind, range))
    rows.push(...page.map((row) => JSON.parse(row) as ExportRow));
  return rows;
}
