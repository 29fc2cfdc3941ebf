import type { RequestOptions } from '../http/options.ts';
import type { Send } from '../http/transport.ts';
import type { Appearance, SetAppearance } from '../types/appearance.ts';

/** What a logo may be. */
export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp';

/** How the checkout page looks (contract, "Appearance of the checkout"). */
export class CheckoutAppearance {
  readonly #send: Send;

  /** @internal */
  constructor(send: Send) {
    this.#send = send;
  }

  /** How it looks now. */
  get(options?: RequestOptions): Promise<Appearance> {
    return this.#send({ method: 'GET', path: '/v1/checkout/appearance' }, options);
  }

  /** Replaces all choices; what is left out is its default. */
  set(body: SetAppearance, options?: RequestOptions): Promise<Appearance> {
    return this.#send({ method: 'PUT', path: '/v1/checkout/appearance', body }, options);
  }

  /** Takes an image of at most 100 kB as the logo. */
  setLogo(bytes: Uint8Array, type: LogoType, options?: RequestOptions): Promise<Appearance> {
    return this.#send({ method: 'PUT', path: '/v1/checkout/logo', file: { bytes, type } }, options);
  }

  /** Removes the logo. */
  deleteLogo(options?: RequestOptions): Promise<Appearance> {
    return this.#send({ method: 'DELETE', path: '/v1/checkout/logo' }, options);
  }
}
