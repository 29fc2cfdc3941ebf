/**
 * What no log may hold, by its shape. Lines are written from ids to begin with; this is for the text that
 * comes from elsewhere: a path that a client wrote, an error of the mail server or of Postgres, a stack.
 * Quantifiers are bounded, so that a hostile line costs no more than its length. `needs` is a part of
 * everything that a shape matches: most lines lack it, and finding that out costs less than the expression.
 */
const SECRETS: readonly (readonly [shape: RegExp, instead: string, needs?: string])[] = [
  // But for a visible prefix, which a cell makes longer.
  [/\bsk_(test|live)_(?![a-z\d]{1,8}_[\w-]{5}(?![\w-]))[\w-]{8,128}/g, 'sk_$1_[redacted]', 'sk_'],
  [/\bwhsec_[\w+/=-]{8,128}/g, 'whsec_[redacted]', 'whsec_'],
  // The token opens the payment's page, and lets its reader choose where a refund goes.
  [/(\/checkout\/)(?:[a-z\d]{1,8}\.)?[\w-]{16,128}/g, '$1[redacted]', '/checkout/'],
  [/\b(Basic|Bearer) [\w+/=.-]{8,512}/gi, '$1 [redacted]'],
  // The user and the password of a URL, before the addresses: its `password@host` looks like one.
  [/(\b[a-z]{2,12}:\/\/)[^\s/@"'<>]{1,256}@/gi, '$1[redacted]@', '@'],
  [/[^\s@"'<>()[\],;:\\/]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu, '[mail address]', '@'],
  // Addresses of coins on every network; a hash of a transaction is longer.
  [/\b0x[0-9a-f]{40}\b/gi, '[coin address]'],
  [/\b(?:bc|tb)1[02-9ac-hj-np-z]{25,87}\b/gi, '[coin address]'],
  // With a capital: a client's request id in lower case is no address.
  [/\b(?=[a-z\d]{0,40}[A-Z])[13T][1-9A-HJ-NP-Za-km-z]{25,34}\b/g, '[coin address]'],
];

/** Returns the text with every secret and personal detail of a known shape replaced. */
export function redact(text: string): string {
  let safe = text;
  for (const [shape, instead, needs] of SECRETS)
    if (needs === undefined || safe.includes(needs)) safe = safe.replace(shape, instead);
  return safe;
}
