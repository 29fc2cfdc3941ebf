/** Why a provider did not serve a request. */
export type ProviderFault =
  | 'unreachable'
  | 'timeout'
  | 'rate_limited'
  /** Any other status than 200. */
  | 'status'
  /** Another page under the URL: HTML, or a body that ends too soon. */
  | 'not_json'
  | 'too_large'
  /** Neither a result nor an error, or those of another request. */
  | 'no_result'
  /** The method is not there. */
  | 'no_method'
  /** Another error of the node, by its code. */
  | 'rpc_error';

/** What took too long is asked for again after this time. */
const SLOW_MS = 600_000;

/** Returns until when a provider is not asked for an extra again, by `JsonRpc.without`; 0: it is. */
export function withoutUntil(fault: ProviderFault, saysNo: ReadonlySet<ProviderFault>): number {
  if (saysNo.has(fault)) return Infinity;
  return fault === 'timeout' ? performance.now() + SLOW_MS : 0;
}

/**
 * Thrown when a provider does not serve a request. The text names the provider by its host, and holds nothing
 * that it sent: an error of a provider may repeat the key in its URL.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly fault: ProviderFault;
  /** How long the provider asks to be left alone; null: it does not say. */
  readonly retryAfterSeconds: number | null;
  /** Of an error of the node; null: it has none. */
  readonly code: number | null;

  constructor(
    fault: ProviderFault,
    message: string,
    {
      retryAfterSeconds = null,
      code = null,
    }: Partial<Pick<ProviderError, 'retryAfterSeconds' | 'code'>> = {},
  ) {
    super(message);
    this.fault = fault;
    this.retryAfterSeconds = retryAfterSeconds;
    this.code = code;
  }
}
