import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/** A PNG of one colour with a half that is transparent, as a logo may be. */
export function logo(width = 300, height = 200, background = '#c8102e'): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 4, background: '#0000' } })
    .composite([
      {
        input: { create: { width: Math.ceil(width / 2), height, channels: 4, background } },
        left: 0,
        top: 0,
      },
    ])
    .png()
    .toBuffer();
}

/** A PNG whose header claims other sizes than it has: a decoder that believes it allocates them. */
export async function claiming(width: number, height: number): Promise<Buffer> {
  const bytes = await logo(10, 10);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  bytes.writeUInt32BE(crc32(bytes.subarray(12, 29)), 29);
  return bytes;
}

/** A whole and valid PNG of one bit a pixel: below 100 kB it is a thousand times as large in memory. */
export function bomb(side: number): Buffer {
  return blank(side, [1, 0, 0, 0, 0], (Math.ceil(side / 8) + 1) * side);
}

/** A PNG that a decoder must hold whole: interlaced, with 8 bytes a pixel. */
export function interlaced(side: number): Buffer {
  // The passes of Adam7: where each begins, and its steps.
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const;
  const sizes = passes.map(
    ([x, y, dx, dy]) => Math.ceil((side - y) / dy) * (1 + 8 * Math.ceil((side - x) / dx)),
  );
  return blank(
    side,
    [16, 6, 0, 0, 1],
    sizes.reduce((sum, size) => sum + size),
  );
}

/** A PNG of nothing but zeros: `form` are the last five bytes of its header. */
function blank(side: number, form: readonly number[], size: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set(form, 8);
  const rows = deflateSync(Buffer.alloc(size), { level: 9 });
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND')]);
}

function chunk(name: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(name, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** Two frames that differ. */
export async function animated(format: 'gif' | 'webp'): Promise<Buffer> {
  const frame = (background: string) =>
    sharp({ create: { width: 16, height: 16, channels: 3, background } })
      .png()
      .toBuffer();
  const frames = await Promise.all(['#f00', '#00f'].map(frame));
  const moving = sharp(frames, { join: { animated: true } });
  return format === 'gif' ? moving.gif().toBuffer() : moving.webp({ loop: 0 }).toBuffer();
}

/** A PNG with the chunk that makes it an APNG in front of its pixels. */
export async function animatedPng(): Promise<Buffer> {
  const still = await logo(16, 16);
  const control = chunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]));
  return Buffer.concat([still.subarray(0, 33), control, still.subarray(33)]);
}

/** A photograph's worth of detail, with a place and a name in its EXIF. */
export function photo(side: number): Promise<Buffer> {
  const pixels = Buffer.from(Array.from({ length: side * side * 3 }, (_, index) => (index * 7919) % 251));
  return sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .withExif({
      IFD0: { Artist: 'A Secret Person' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1' },
    })
    .jpeg({ quality: 60 })
    .toBuffer();
}
