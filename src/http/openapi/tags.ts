/** The groups of operations, in the order of their reading. */
export const TAGS = {
  Payments: 'Create payments, and read them.',
  Links: 'Pages on which customers create payments themselves.',
  Refunds: 'Send money back.',
  Events: 'What happened, as webhooks send it, to be read at any time.',
  Webhooks: 'Where events are sent, how they are signed, and what became of each.',
  Wallets: 'Where the money of live payments goes.',
  Checkout: "How the merchant appears on their customers' pages.",
  Sandbox: 'What test merchants can do: act as the customer, move clocks, play scenarios.',
  Status: 'Whether the service is well, and whether a key is valid.',
} as const;
export type Tag = keyof typeof TAGS;

/** The first that fits an endpoint's path. */
const PATHS: readonly (readonly [path: RegExp, tag: Tag])[] = [
  [/^\/v1\/status$/, 'Status'],
  [/^\/v1\/sandbox\//, 'Sandbox'],
  [/^\/v1\/webhooks\//, 'Webhooks'],
  [/^\/v1\/links\b/, 'Links'],
  [/^\/v1\/wallets$/, 'Wallets'],
  [/^\/v1\/checkout\//, 'Checkout'],
  [/^\/v1\/events\b|\/events$/, 'Events'],
  [/\/refund(?:s|-address|s\/:refund_id\/announce)?$/, 'Refunds'],
  [/^\/v1\/payments?\b/, 'Payments'],
];

/** The group of a path. Throws for a path of none. */
export function tagOf(path: string): Tag {
  const tag = PATHS.find(([pattern]) => pattern.test(path))?.[1];
  if (tag === undefined) throw new Error(`${path} needs a tag in openapi/tags.ts`);
  return tag;
}
