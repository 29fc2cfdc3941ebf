import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/** Returns a body, decompressed; null: it has more bytes than that, and the rest was not read. */
export async function readBody(
  body: Readable,
  isCompressed: boolean,
  maxBytes: number,
): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  const plain: AsyncIterable<Buffer> = isCompressed ? decompressed(body) : body;
  for await (const chunk of plain) {
    size += chunk.length;
    if (size > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What is decompressed is counted like any other body. A fault of one stream ends the other. */
function decompressed(body: Readable): Readable {
  const gunzip = createGunzip();
  pipeline(body, gunzip, () => {});
  return gunzip;
}

const [COMMA, BRACKET, BRACE] = Buffer.from(',[{');

/** Returns how many values a JSON text has, at least: all but the first stand behind one of these. */
export function countValues(text: Buffer): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
  }
  return count;
}
