const EMPTY_LINE = Buffer.from('\r\n\r\n');

/**
 * The file of a form that sends one file and nothing else (RFC 7578): the content of its first part. Null:
 * nobody has chosen one, or it is no such form. What the form says of the file, its name and its type, is not
 * believed.
 */
export function fileOf(contentType: string, body: Buffer): Buffer | null {
  const boundary = boundaryOf(contentType);
  if (boundary === null) return null;
  const begin = body.indexOf(`--${boundary}\r\n`, 0, 'latin1');
  const head = begin === -1 ? -1 : body.indexOf(EMPTY_LINE, begin);
  // The line break of an empty part is that of its head.
  const end = head === -1 ? -1 : body.indexOf(`\r\n--${boundary}`, head + 2, 'latin1');
  const content = head + EMPTY_LINE.length;
  return end <= content ? null : body.subarray(content, end);
}

function boundaryOf(contentType: string): string | null {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? [];
  return quoted ?? plain ?? null;
}
