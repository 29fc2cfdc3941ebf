/** A mail of text and HTML, decoded: what its reader sees. */
export interface ReadMail {
  /** By name in lower case; encoded words are decoded. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly html: string;
}

/** Reads a multipart/alternative mail of text and HTML as a mail program would. Throws for all others. */
export function readMail(source: string): ReadMail {
  const { headers, body } = partOf(source);
  const type = headers.get('content-type') ?? '';
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(type)?.[1];
  if (boundary === undefined) throw new Error(`not multipart/alternative: ${type}`);
  const [text, html, ...others] = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => partOf(part.replace(/^\r\n/, '').replace(/\r\n$/, '')));
  if (text === undefined || html === undefined || others.length > 0) throw new Error('not two parts');
  return { headers, text: contentOf(text, 'text/plain'), html: contentOf(html, 'text/html') };
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
