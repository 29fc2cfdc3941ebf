import { Type, type Static } from 'typebox';
import { CURRENCY_IDS } from '../chain/currencies.ts';
import { MAX_URL_LENGTH } from '../../platform/values/urls.ts';
import { KEY_PATTERN } from '../api/patterns.ts';
import { amount, CursorPagination, nullable, text, timestamp } from '../api/schemas.ts';

/** The most that can be counted of a link. */
export const MAX_COUNT = 1_000_000;

const LinkPrice = Type.Object(
  {
    name: Type.Optional(
      text({ minLength: 1, maxLength: 100, description: 'What it is for; needed where there are several.' }),
    ),
    amount: amount("In the merchant's settlement currency, or in price_currency."),
    closed: Type.Optional(Type.Boolean({ default: false, description: 'The page does not offer it now.' })),
  },
  { additionalProperties: false },
);
const OpenAmount = Type.Object(
  { min: amount('The least that a customer may pay.'), max: amount('The most.') },
  { additionalProperties: false, description: 'The customer chooses an amount within these bounds.' },
);
const LinkField = Type.Object(
  {
    key: Type.String({
      pattern: KEY_PATTERN,
      description: "Key in the payment's metadata; link_id and option are taken.",
    }),
    label: text({ minLength: 1, maxLength: 100, description: 'What the page asks.' }),
    required: Type.Optional(Type.Boolean({ default: false, description: 'It cannot be left empty.' })),
    max_length: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, default: 200, description: 'Longest answer, in characters.' }),
    ),
  },
  { additionalProperties: false },
);
export type LinkField = Static<typeof LinkField>;

const count = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_COUNT, description }));

/** A link has prices, or an open amount: one of the two, and not both. */
const PRICES_OR_OPEN = {
  if: { properties: { open_amount: {} }, required: ['open_amount'] },
  then: { properties: { prices: { not: {} } } },
  else: { properties: { prices: {} }, required: ['prices'] },
};

export const CreateLinkBody = Type.Object(
  {
    title: text({ minLength: 1, maxLength: 100, description: 'What the page is about.' }),
    description: Type.Optional(text({ maxLength: 500, description: 'Shown below the title.' })),
    prices: Type.Optional(
      Type.Array(LinkPrice, {
        minItems: 1,
        maxItems: 10,
        description: 'One fixed price, or several to choose from; or else open_amount.',
      }),
    ),
    open_amount: Type.Optional(OpenAmount),
    price_currency: Type.Optional(
      Type.Enum([...CURRENCY_IDS], {
        description: 'Amounts are in this currency (ISO 4217), and converted when a payment is created.',
      }),
    ),
    fields: Type.Optional(
      Type.Array(LinkField, { maxItems: 5, description: 'What the page asks the customer.' }),
    ),
    max_uses: count('How many payments may be open or paid; one that ends unpaid is not counted any more.'),
    stock: count('How many items there are: a payment holds one while it is open or paid.'),
    expires_at: Type.Optional(timestamp('From when on it takes no new payment.')),
    expiration_minutes: Type.Optional(
      Type.Integer({
        minimum: 5,
        maximum: 1440,
        default: 60,
        description: 'How long a customer has to pay, and holds an item.',
      }),
    ),
    success_url: Type.Optional(
      Type.String({
        format: 'browser-url',
        maxLength: MAX_URL_LENGTH,
        description: 'Where a customer goes after paying.',
      }),
    ),
    thank_you: Type.Optional(
      text({ minLength: 1, maxLength: 1000, description: 'Shown after paying; without success_url.' }),
    ),
  },
  { additionalProperties: false, ...PRICES_OR_OPEN },
);
export type CreateLinkBody = Static<typeof CreateLinkBody>;

const countOrNone = (description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: MAX_COUNT }), description));

export const UpdateLinkBody = Type.Object(
  {
    title: Type.Optional(text({ minLength: 1, maxLength: 100, description: 'What the page is about.' })),
    description: Type.Optional(
      nullable(text({ maxLength: 500, description: 'A text.' }), 'Shown below the title; null: nothing.'),
    ),
    prices: Type.Optional(
      Type.Array(LinkPrice, { minItems: 1, maxItems: 10, description: 'In place of those before.' }),
    ),
    stock: countOrNone('In place of the number before, no less than uses; null: there is no limit.'),
    stock_change: Type.Optional(
      Type.Integer({
        minimum: -MAX_COUNT,
        maximum: MAX_COUNT,
        description: 'Adds so many to stock, or takes them away; in place of stock.',
      }),
    ),
    max_uses: countOrNone('In place of the number before, no less than uses; null: there is no limit.'),
    expires_at: Type.Optional(nullable(timestamp(), 'From when on it takes no new payment; null: never.')),
    is_active: Type.Optional(Type.Boolean({ description: 'false: it takes no payment until it is true.' })),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type UpdateLinkBody = Static<typeof UpdateLinkBody>;

export const LinkResource = Type.Object({
  id: Type.String({ description: 'Link identifier; the order_id of its payments.' }),
  url: Type.String({ description: 'The page, to be given to customers.' }),
  code_url: Type.String({ description: 'A QR code of url, as SVG; with .png instead, as PNG.' }),
  title: Type.String({ description: 'What the page is about.' }),
  description: nullable(Type.String(), 'Shown below the title.'),
  prices: nullable(Type.Array(LinkPrice), 'Null: the customer chooses an amount.'),
  open_amount: nullable(OpenAmount, 'Null: the prices are fixed.'),
  price_currency: nullable(Type.Enum([...CURRENCY_IDS]), 'Null: amounts are in the settlement currency.'),
  fields: Type.Array(Type.Required(LinkField), { description: 'What the page asks the customer.' }),
  max_uses: nullable(Type.Integer(), 'Null: there is no limit.'),
  stock: nullable(Type.Integer(), 'Null: there is no limit.'),
  stock_left: nullable(Type.Integer(), 'What of it no payment holds.'),
  uses: Type.Integer({ description: 'Its payments that are open or paid, and not sent back.' }),
  is_open: Type.Boolean({ description: 'Whether it takes a new payment now.' }),
  expires_at: nullable(timestamp(), 'Null: it does not end by itself.'),
  expiration_minutes: Type.Integer({ description: 'How long a customer has to pay.' }),
  success_url: nullable(Type.String(), 'Where a customer goes after paying.'),
  thank_you: nullable(Type.String(), 'Shown after paying.'),
  created_at: timestamp('When it was created.'),
  archived_at: nullable(timestamp(), 'When it was closed for good; null: it was not.'),
  paused_at: nullable(timestamp(), 'Since when it is not active; null: it is.'),
});
export type LinkResource = Static<typeof LinkResource>;

export const LinkList = Type.Object({ data: Type.Array(LinkResource), pagination: CursorPagination });
export type LinkList = Static<typeof LinkList>;
