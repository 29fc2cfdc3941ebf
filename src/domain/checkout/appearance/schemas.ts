import { Type, type Static } from 'typebox';
import { COIN_IDS, COINS_ON_NETWORKS } from '../../chain/coins.ts';
import { FITTING_METHOD } from '../../chain/fitting-method.ts';
import { CURRENCY_IDS } from '../../chain/currencies.ts';
import { NETWORK_IDS } from '../../chain/networks.ts';
import { nullable, text, timestamp } from '../../api/schemas.ts';
import { COLOR_PATTERN } from '../../api/patterns.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';

const MAX_NAME_LENGTH = 100;
const MAX_ORIGINS = 20;
const MAX_ORIGIN_LENGTH = 270;

const color = (description: string) => Type.String({ pattern: COLOR_PATTERN, description });

const Method = Type.Object(
  {
    coin: Type.Enum([...COIN_IDS], { description: 'The coin.' }),
    network: Type.Enum([...NETWORK_IDS], { description: 'A network of the coin.' }),
  },
  { additionalProperties: false, ...FITTING_METHOD },
);

const Logo = Type.Object({
  url: Type.String({ description: 'Where the page loads it.' }),
  width: Type.Integer({ description: 'In pixels.' }),
  height: Type.Integer({ description: 'In pixels.' }),
});

const AccentUsed = Type.Object(
  {
    light: color('In the light scheme: mixed with black until text in it can be read.'),
    dark: color('In the dark scheme: mixed with white until text in it can be read.'),
  },
  {
    description:
      'The accent colour as the page uses it for links, focus and progress; buttons have it as it is.',
  },
);

const CHOICES = {
  name: nullable(
    text({ minLength: 1, maxLength: MAX_NAME_LENGTH, description: 'On the page.' }),
    "Null: the merchant's own name.",
  ),
  support_url: nullable(
    Type.String({ format: 'support-url', maxLength: MAX_URL_LENGTH }),
    'Where customers find help: an https URL, or mailto: and one address. Null: no button.',
  ),
  accent_color: nullable(color('#rrggbb.'), "Null: the page's own."),
  display_currency: nullable(
    Type.Enum([...CURRENCY_IDS]),
    'In which the page shows the price too, about. Null: in no other currency.',
  ),
  methods: nullable(
    Type.Array(Method, { minItems: 1, maxItems: COINS_ON_NETWORKS.length, uniqueItems: true }),
    'What customers can pay with, in this order. Null: everything that is served, cheapest network first.',
  ),
};

const embedOrigins = Type.Array(Type.String({ maxLength: MAX_ORIGIN_LENGTH }), {
  maxItems: MAX_ORIGINS,
  uniqueItems: true,
  description: 'Origins whose pages may show the checkout in a frame, such as https://shop.example.',
});

/** What GET returns can be sent back: a PUT ignores what it cannot set. */
const READ_ONLY = {
  accent_used: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
  logo: Type.Optional(Type.Unknown({ description: 'Ignored: PUT /v1/checkout/logo sets it.' })),
  updated_at: Type.Optional(Type.Unknown({ description: 'Ignored.' })),
};

export const AppearanceBody = Type.Object(
  {
    ...Type.Partial(Type.Object(CHOICES)).properties,
    embed_origins: Type.Optional(embedOrigins),
    ...READ_ONLY,
  },
  { additionalProperties: false },
);
export type AppearanceBody = Static<typeof AppearanceBody>;

export const Appearance = Type.Object({
  ...CHOICES,
  embed_origins: embedOrigins,
  accent_used: nullable(AccentUsed),
  logo: nullable(Logo, 'Null: there is none.'),
  updated_at: nullable(timestamp(), 'Null: nothing was ever set.'),
});
export type Appearance = Static<typeof Appearance>;
