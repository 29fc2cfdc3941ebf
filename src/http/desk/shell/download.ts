import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';
import { messageOf, type Log } from '../../../platform/log.ts';
import type { Download } from './route.ts';

/** The parameter is of RFC 4180: what goes on behind another file has no header. */
const typeOf = ({ format, hasHeader }: Download['file']): string =>
  format === 'csv'
    ? `text/csv; charset=utf-8; header=${hasHeader ? 'present' : 'absent'}`
    : 'application/x-ndjson; charset=utf-8';

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
    'Content-Type': typeOf(file),
    'Content-Disposition': `attachment; filename="${file.name}"`,
  });
  try {
    await pipeline(Readable.from(cutting(response, text)), response);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
    if (!isGone)
      log.warn('export cut: its person can go on behind its last line', { reason: messageOf(error) });
  } finally {
    onEnd();
  }
}

/**
 * HTTP/1.0, which proxies use towards servers unless they are configured otherwise, has no other end of such
 * a body than that of the connection: only a reset tells a cut from a whole file.
 */
async function* cutting(response: Response, text: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* text;
  } catch (error) {
    if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
    throw error;
  }
}
