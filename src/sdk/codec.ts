/** A body as it arrived: text, or bytes of any kind and realm. */
export type RawBody = string | ArrayBuffer | ArrayBufferView;

/** How text becomes bytes and bytes become text: what runtimes do in different ways. */
export interface Codec {
  /** The bytes of a text in UTF-8. */
  readonly encode: (text: string) => Uint8Array<ArrayBuffer>;
  /** Throws for bytes that are not UTF-8. */
  readonly decode: (bytes: Uint8Array) => string;
  /** The bytes of base64; of what is no base64, bytes that nobody signed. */
  readonly fromBase64: (text: string) => Uint8Array<ArrayBuffer>;
}

/**
 * The bytes of a body; null: it is neither text nor bytes. Bytes of another realm, such as those of jsdom or
 * of `vm`, are no instance of this realm's classes.
 */
export function bytesOf(body: unknown, { encode }: Codec): Uint8Array | null {
  if (typeof body === 'string') return encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  const isBuffer = Object.prototype.toString.call(body) === '[object ArrayBuffer]';
  return isBuffer ? new Uint8Array(body as ArrayBuffer) : null;
}

/** Some bytes behind others. */
export function concatenated(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(first.length + second.length);
  bytes.set(first);
  bytes.set(second, first.length);
  return bytes;
}
