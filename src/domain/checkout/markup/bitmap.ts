import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Of an image in grey with one bit a pixel, without filters and interlacing (PNG, 11.2.2). */
const FORMAT = Buffer.from([1, 0, 0, 0, 0]);

/** An image of black pixels (true) and white ones, row by row, as a PNG in a `data:` URI. */
export function bitmap(rows: readonly (readonly boolean[])[]): string {
  return `data:image/png;base64,${png(rows).toString('base64')}`;
}

/** The same as the bytes of a PNG. */
export function png(rows: readonly (readonly boolean[])[]): Buffer {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(rows[0]?.length ?? 0, 0);
  size.writeUInt32BE(rows.length, 4);
  const pixels = deflateSync(Buffer.concat(rows.map(scanline)), { level: 9 });
  const chunks = [chunk('IHDR', Buffer.concat([size, FORMAT])), chunk('IDAT', pixels), chunk('IEND')];
  return Buffer.concat([SIGNATURE, ...chunks]);
}

/** The filter's type, none, and eight pixels a byte: those behind the last one are white. */
function scanline(row: readonly boolean[]): Buffer {
  const line = Buffer.alloc(1 + Math.ceil(row.length / 8), 0xff);
  line[0] = 0;
  row.forEach((isBlack, x) => {
    const at = 1 + (x >> 3);
    if (isBlack) line[at] = (line[at] ?? 0) & ~(0x80 >> (x & 7));
  });
  return line;
}

function chunk(type: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
