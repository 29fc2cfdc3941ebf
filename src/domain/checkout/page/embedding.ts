import { createHash } from 'node:crypto';
import { readAsset } from './assets.ts';
import { faceOf, isFrameOrigin } from '../view/face.ts';
import type { CheckoutPayment } from '../view/store.ts';

const SCRIPT = readAsset('embed');

/**
 * What shops load to open the page in a modal. Its address is stable, because it stands in their pages: the
 * tag says whether a copy is still right.
 */
export const EMBED_SCRIPT = {
  path: '/checkout.js',
  content: SCRIPT,
  etag: `W/"${createHash('sha256').update(SCRIPT).digest('base64url').slice(0, 22)}"`,
} as const;

/**
 * The origins whose pages may show the payment's page in a frame: its merchant's. The API validates them when
 * it stores them. This second check keeps the header's other directives right whatever the row holds.
 */
export function embeddersOf(payment: CheckoutPayment): readonly string[] {
  return faceOf(payment).embedOrigins.filter(isFrameOrigin);
}
