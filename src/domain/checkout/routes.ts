import { DEFAULT_PER_MINUTE, endpoint, reply } from '../api/endpoint.ts';
import { ValidationError } from '../api/errors.ts';
import type { AdaptersByMode } from '../payments/lifecycle/ports.ts';
import { IMAGE_TYPES } from './appearance/image-type.ts';
import { clearLogo, setLogo } from './appearance/logo.ts';
import { toAppearance } from './appearance/resource.ts';
import { Appearance, AppearanceBody } from './appearance/schemas.ts';
import { setAppearance } from './appearance/set.ts';
import { readAppearance } from './appearance/store.ts';

/** Decoding an image takes a hundred times as long as storing it. */
const LOGOS_PER_MINUTE = 10;

/** How the merchant appears on their customers' pages; `adapters` say which networks serve them. */
export const appearanceEndpoints = (adapters: AdaptersByMode) => [
  endpoint({
    operationId: 'getAppearance',
    method: 'get',
    path: '/v1/checkout/appearance',
    summary: "Returns how the merchant appears on their customers' pages.",
    description:
      'The response can be sent back with `PUT /v1/checkout/appearance`. `accent_used` is the ' +
      'colour as the page shows it, in each colour scheme.',
    auth: 'required',
    permissions: ['payments:read'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: Appearance },
    handle: async ({ ctx, caller }) =>
      reply(200, toAppearance(await readAppearance(ctx.db, caller.merchantId), ctx.config.publicUrl)),
  }),
  endpoint({
    operationId: 'setAppearance',
    method: 'put',
    path: '/v1/checkout/appearance',
    summary: 'Replaces all choices of the appearance; null, or leaving one out, is its default.',
    description:
      'What is left out is reset, so send everything that is to stay: read, change, write. Pages ' +
      'that load or update afterwards show it. `methods` of live payments on real networks are the ' +
      'settlement coin and what else the operator has set as accepted.',
    auth: 'required',
    permissions: ['checkout:write'],
    perMinute: DEFAULT_PER_MINUTE,
    body: AppearanceBody,
    errors: [],
    response: { status: 200, schema: Appearance },
    handle: async ({ ctx, caller, body }) =>
      reply(200, toAppearance(await setAppearance(ctx, adapters, caller, () => body), ctx.config.publicUrl)),
  }),
  endpoint({
    operationId: 'setLogo',
    method: 'put',
    path: '/v1/checkout/logo',
    summary: 'Takes an image as the logo; it is encoded again, and its metadata are dropped.',
    description:
      'The body is the image itself: PNG, JPEG or WebP, at most 100 kB and 4,194,304 pixels (2048x2048), ' +
      'not animated. The logo is a WebP of at most 160x160 pixels, at an address that changes with it.',
    auth: 'required',
    permissions: ['checkout:write'],
    perMinute: LOGOS_PER_MINUTE,
    accepts: IMAGE_TYPES,
    errors: [],
    response: { status: 200, schema: Appearance },
    async handle({ ctx, caller: { merchantId }, file }) {
      if (file === null)
        throw new ValidationError('body', 'required', `is required: ${IMAGE_TYPES.join(', ')}`);
      const row = await setLogo(ctx, merchantId, file);
      return reply(200, toAppearance(row, ctx.config.publicUrl));
    },
  }),
  endpoint({
    operationId: 'deleteLogo',
    method: 'delete',
    path: '/v1/checkout/logo',
    summary: 'Removes the logo.',
    description:
      'The page then shows the name alone. Returns the whole appearance; without a logo nothing ' +
      'changes.',
    auth: 'required',
    permissions: ['checkout:write'],
    perMinute: DEFAULT_PER_MINUTE,
    errors: [],
    response: { status: 200, schema: Appearance },
    handle: async ({ ctx, caller }) =>
      reply(200, toAppearance(await clearLogo(ctx, caller.merchantId), ctx.config.publicUrl)),
  }),
];
