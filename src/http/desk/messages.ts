import type { Message } from '../../domain/checkout/page/messages.ts';
import type { Config } from '../../platform/config/config.ts';
import { html } from '../../platform/pages/html.ts';
import { MAINTENANCE_RETRY_SECONDS, type ShowMessage } from '../checkout/messages.ts';
import { sessionOf } from './visitor.ts';
import { linksInCell } from './shell/cell.ts';
import { deskDocument } from './shell/document.ts';
import { DESK_HEADERS } from './shell/style.ts';
import { EN, type DeskTexts } from './shell/texts.ts';

type Known = Exclude<keyof DeskTexts['messages'], 'reloads'>;

/** The desk's text of a message; one that only customers meet is an error here. */
const textOf = (message: Message) =>
  EN.messages[Object.hasOwn(EN.messages, message) ? (message as Known) : 'error'];

/**
 * Messages in the look of the desk, with a way back: to the payments of the merchant that the path names,
 * where it is the person's, and else to the desk. Nothing of the path is shown: what is not theirs is as
 * missing as what does not exist. A page that waits for the end of a maintenance loads itself again, as that
 * of customers does; what a form got does not, because that would ask for a page that may not exist, and look
 * as if the form had been taken.
 */
export function deskMessage(config: Config): ShowMessage {
  return ({ baseUrl, path, method }, response, message) => {
    const session = sessionOf(response);
    const [, , merchantId] = `${baseUrl}${path}`.split('/');
    const own = session === null || session.factor_at === null ? [] : session.memberships;
    const merchant = own.find(({ merchant_id }) => merchant_id === merchantId) ?? null;
    const { title, text } = textOf(message);
    const [to, back] =
      merchant === null
        ? ['/dashboard', EN.toDesk]
        : [`/dashboard/${merchant.merchant_id}/payments`, EN.toPayments];
    const viewer = { texts: EN, path: '', session, merchant };
    const waits = message === 'maintenance' && method === 'GET';
    const main = html`<section class="card">
      <p>${text}${waits ? html` ${EN.messages.reloads}` : null}</p>
      <p><a class="button" href="${to}">${back}</a></p>
    </section>`;
    response.set(DESK_HEADERS).type('text/html; charset=utf-8');
    return linksInCell(
      config,
      deskDocument(viewer, { title, main, ...(waits ? { refreshSeconds: MAINTENANCE_RETRY_SECONDS } : {}) }),
    );
  };
}
