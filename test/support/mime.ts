/** A mail of text and HTML, decoded: what its reader sees. */
export interface ReadMail {
  /** By name in lower case; encoded words are decoded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
  /** What the HTML shows, by its content id. */
  readonly images: ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }>;
}

/**
 * Reads a multipart/alternative mail of text and HTML, the latter alone or with its images, as a mail program
 * would. Throws for all others.
 */
export function readMail(source: string): ReadMail {
  const whole = partOf(source);
  const [text, second, ...others] = partsOf(whole, 'alternative') ?? [];
  if (text === undefined || second === undefined || others.length > 0) throw new Error('not two parts');
  const [html = second, ...images] = partsOf(second, 'related') ?? [];
  return {
    headers: whole.headers,
    text: contentOf(text, 'text/plain'),
    html: contentOf(html, 'text/html'),
    images: new Map(
      images.map(({ headers, body }) => [
        headers.get('content-id') ?? '',
        { type: headers.get('content-type') ?? '', bytes: Buffer.from(body, 'base64') },
      ]),
    ),
  };
}

/** The parts of a part of that kind; null: it is of another. */
function partsOf({ headers, body }: Part, kind: string): Part[] | null {
  const type = headers.get('content-type') ?? '';
  const boundary = new RegExp(`^multipart/${kind};.*boundary="([^"]+)"`, 's').exec(type)?.[1];
  if (boundary === undefined) return null;
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function partOf(source: string): Part {
  const end = source.indexOf('\r\n\r\n');
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(':');
    return [name.toLowerCase(), decodedWords(value.join(':').trim())];
  });
  return { headers: new Map(headers), body: source.slice(end + 4) };
}

function contentOf({ headers, body }: Part, type: string): string {
  const found = headers.get('content-type') ?? '';
  if (!found.toLowerCase().startsWith(`${type}; charset=utf-8`)) throw new Error(`not ${type}: ${found}`);
  const content = decoded(body, headers.get('content-transfer-encoding') ?? '7bit');
  return content.replaceAll('\r\n', '\n');
}

function decoded(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  if (encoding === '7bit') return body;
  if (encoding !== 'quoted-printable') throw new Error(`unknown encoding ${encoding}`);
  return bytesOf(body.replaceAll('=\r\n', ''));
}

/** RFC 2047: `=?UTF-8?Q?...?=`; white space between two of them is none. */
function decodedWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([qb])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : bytesOf(text.replaceAll('_', ' ')),
    );
}

function bytesOf(text: string): string {
  const bytes = text.replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
