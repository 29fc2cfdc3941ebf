import { readAsset } from './assets.ts';
import { appearanceOf, isFrameOrigin } from '../view/appearance.ts';
import type { CheckoutPayment } from '../view/store.ts';

const SCRIPT = readAsset('embed');

/** Its address is stable, because it stands in the pages of shops. */
export const EMBED_SCRIPT_PATH = '/checkout.js';

/** What shops load to open the page of the service at `publicUrl`, and of no other origin, in a modal. */
export function embedScript(publicUrl: string): string {
  return SCRIPT.replace('PUBLIC_ORIGIN', () => new URL(publicUrl).origin);
}

/**
 * The origins whose pages may show the payment's page in a frame: its merchant's. The API validates them when
 * it stores them. This second check keeps the header's other directives right whatever the row holds.
 */
export function embeddersOf(payment: CheckoutPayment): readonly string[] {
  return appearanceOf(payment).embedOrigins.filter(isFrameOrigin);
}
