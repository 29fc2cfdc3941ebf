import type { RequestHandler } from 'express';

/**
 * Takes a path that cannot be decoded (`%`, `%FF`) by the letter. It then names nothing, and is answered, limits included, like any
 * other path or id that does not exist; Express would end the request before it is known who asks.
 */
export const literalPath: RequestHandler = (request, _response, next) => {
  if (request.url.includes('%')) {
    const [path = '', ...query] = request.url.split('?');
    if (!isDecodable(path)) request.url = [path.replaceAll('%', '%25'), ...query].join('?');
  }
  next();
};

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
