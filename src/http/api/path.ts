import type { RequestHandler } from 'express';

/**
 * Takes a path that cannot be decoded (`%`, `%FF`) literally. It then matches nothing, and gets the same
 * response, limits included, as any other unknown path or id; Express would end the request before
 * authentication.
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
