import type { RequestHandler } from 'express';
import { deskPath, readDeskPath, type CellSetting } from '../../../platform/values/cells.ts';

/**
 * The desk's pages and routes know no cell: their paths get it where they leave, and lose it where they come
 * in. A page that is written tomorrow needs nothing for it. Without CELL both do nothing.
 */
export function leaveCell(setting: CellSetting): RequestHandler {
  return (request, response, next) => {
    const asked = setting.cell === null ? null : readDeskPath(request.url);
    if (asked === null) return next();
    if (asked.cell === setting.cell) {
      request.url = asked.path;
      return next();
    }
    // Another cell's, which came here by mistake: it is as missing as what does not exist.
    if (asked.cell !== null) return next('router');
    // Links and forms from before CELL was set. 307: a form is posted again, as it is.
    response.redirect(307, deskPath(setting, asked.path));
  };
}

/** No text of anybody's is taken for a link: `html` writes its quotes as `&#34;`. */
const LINK = /(\s(?:href|src|action|formaction)=")(\/dashboard[^"]*)/gi;

/** A page of the desk whose links, frames and forms lead to the desk of this cell. */
export function linksInCell(setting: CellSetting, markup: string): string {
  if (setting.cell === null) return markup;
  return markup.replaceAll(LINK, (_, start: string, path: string) => `${start}${deskPath(setting, path)}`);
}
