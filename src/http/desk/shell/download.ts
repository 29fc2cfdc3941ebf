import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import type { ExportFormat } from '../../../domain/exports/file.ts';
import { messageOf, type Log } from '../../../platform/log.ts';
import type { Download } from './route.ts';

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/**
 * Sends a file as fast as the browser takes it: the next page is read when the one before it is on its way,
 * and none when the browser has left. What fails on the way ends the connection, so that no browser takes a
 * part for the whole.
 */
export async function sendDownload(
  response: Response,
  { file, text, onEnd }: Download,
  log: Log,
): Promise<void> {
  response.status(200).set({
    'Content-Type': TYPES[file.format],
    'Content-Disposition': `attachment; filename="${file.name}"`,
  });
  try {
    await pipeline(Readable.from(text), response);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isGone)
      log.warn('export cut: its person can go on behind its last line', { reason: messageOf(error) });
  } finally {
    onEnd();
  }
}
