/** Headers of responses, each described once. */
export const HEADERS = {
  'X-Request-Id': {
    description: "The request's own X-Request-Id where it is valid, else a new one; errors repeat it.",
    required: true,
    schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests a window of 60 s.',
    required: true,
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that are left in the window.',
    required: true,
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'When the window ends, as Unix time in seconds.',
    required: true,
    schema: { type: 'integer' },
  },
  'Cache-Control': {
    description: "`no-store`: responses hold a merchant's data.",
    required: true,
    schema: { type: 'string' },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    required: true,
    schema: { type: 'integer' },
  },
  'Idempotent-Replayed': {
    description: '`true` where the response is that of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
} as const;
type HeaderName = keyof typeof HEADERS;

const ALWAYS: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Cache-Control',
];

/** The headers of a response with `status`, as references. */
export function headersOf(status: number, { isReplayable }: { isReplayable: boolean }): object {
  const names: readonly HeaderName[] = [
    ...ALWAYS,
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(isReplayable ? (['Idempotent-Replayed'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
