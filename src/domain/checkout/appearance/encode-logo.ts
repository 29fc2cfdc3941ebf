import type { Sharp, SharpOptions } from 'sharp';
import { ValidationError } from '../../api/errors.ts';
import { Slots } from '../../sandbox/budgets/slots.ts';
import { imageTypeOf, IMAGE_TYPES, isAnimatedPng } from './image-type.ts';

/** Twice the size at which the page shows it: phones have two device pixels or more per pixel. */
const MAX_SIDE = 160;
/** The page's images are a small part of what a payment may take. */
const MAX_LOGO_BYTES = 6_000;
/**
 * Far more than a logo needs. Of an interlaced PNG with 16 bits a channel the whole image is in memory at
 * once: 45 MB measured for these, and 120 MB for 3500x3500, which 95 kB can hold.
 */
const MAX_PIXELS = 2048 * 2048;
/** An image within the limits takes a tenth of it. */
const MAX_SECONDS = 5;

/** Tried in this order until the image is small enough. The last one is small enough for noise too. */
const ATTEMPTS: readonly { side: number; quality: number }[] = [
  { side: MAX_SIDE, quality: 90 },
  { side: MAX_SIDE, quality: 75 },
  { side: MAX_SIDE, quality: 50 },
  { side: 120, quality: 50 },
  { side: 96, quality: 40 },
  { side: 64, quality: 30 },
];

/** An image as the service stores and serves it, WebP of at most MAX_LOGO_BYTES. */
export interface EncodedLogo {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/**
 * A process decodes one image at a time, so that uploads at the same moment take the memory of one; a few of
 * a merchant wait, each for less than a second.
 */
const decoding = new Slots({ perMerchant: 1, perProcess: 1, waiting: 4 });

/** Encodes a merchant's image in its turn. Throws ValidationError, and ApiError rate_limited. */
export function encodeInTurn(merchantId: string, type: string, bytes: Buffer): Promise<EncodedLogo> {
  return decoding.run(merchantId, () => encodeLogo(type, bytes));
}

/** A stored logo as PNG, for mail programs, of which some know no WebP. */
export async function pngOf(logo: Buffer): Promise<Buffer> {
  const sharp = await loadSharp();
  return sharp(logo).png({ palette: true }).toBuffer();
}

/**
 * Decodes an untrusted image and encodes its pixels again, smaller: what else the file holds (EXIF with a
 * place, colour profiles, a second file behind the image) is gone. Throws ValidationError.
 */
async function encodeLogo(type: string, bytes: Buffer): Promise<EncodedLogo> {
  if (imageTypeOf(bytes) !== type)
    throw refused('format', `is no ${type} image: ${IMAGE_TYPES.join(', ')} are taken, and no SVG or GIF`);
  if (isAnimatedPng(bytes)) throw refused('format', ANIMATED);
  const sharp = await loadSharp();
  const { width, height, pages = 1 } = await decoded(sharp(bytes, HEADER).metadata());
  if (pages > 1) throw refused('format', ANIMATED);
  if (width * height > MAX_PIXELS)
    throw refused('maximum', `has ${width}x${height} pixels, and may have at most ${MAX_PIXELS}`);
  const pixels = await decoded(
    fitted(sharp(bytes, DECODING).timeout({ seconds: MAX_SECONDS }).autoOrient(), MAX_SIDE)
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true }),
  );
  for (const { side, quality } of ATTEMPTS) {
    const { data, info } = await fitted(sharp(pixels.data, { raw: pixels.info }), side)
      .webp({ quality, alphaQuality: quality, effort: 5 })
      .toBuffer({ resolveWithObject: true });
    if (data.length <= MAX_LOGO_BYTES) return { bytes: data, width: info.width, height: info.height };
  }
  throw new Error(`a logo of ${width}x${height} pixels does not become small enough`);
}

const ANIMATED = 'must not be animated';

/** Only the header is read, and no limit hides what it claims. */
const HEADER: SharpOptions = { limitInputPixels: false };
const DECODING: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true };

function fitted(image: Sharp, side: number): Sharp {
  return image.resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
}

async function decoded<Value>(decoding: Promise<Value>): Promise<Value> {
  try {
    return await decoding;
  } catch {
    // The decoder's own words name its functions, and help nobody who has the file.
    throw refused('format', 'cannot be decoded: it is damaged or incomplete');
  }
}

function refused(constraint: 'format' | 'maximum', reason: string): ValidationError {
  return new ValidationError('body', constraint, reason);
}

let loaded: ReturnType<typeof load> | undefined;

/** The decoder is 20 MB of libraries, which only uploads need. */
const loadSharp = () => (loaded ??= load());

async function load() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // No other decoder reads what merchants send, whatever the bytes begin with.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer'],
  });
  return sharp;
}
