import { fill, html, type Html } from '../../platform/pages/html.ts';
import type { MailContent, Row } from './template.ts';

// Styles are inline because many mail programs remove style sheets; colours are the mail program's, which
// knows whether it is dark. The mail loads nothing: it brings its logo. Language and direction stand again
// inside the body, because some programs keep only its content.
const MAIL =
  'max-width:34rem;margin:0 auto;padding:20px 16px;' +
  'font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif';
const TEST = 'margin:0 0 20px;padding:10px 14px;border:2px dashed #b45309;border-radius:8px';
const TITLE = 'margin:0 0 8px;font-size:22px;line-height:1.3';
const SENTENCE = 'margin:0 0 20px;overflow-wrap:anywhere';
const TABLE = 'width:100%;border-collapse:collapse;table-layout:fixed;margin:0 0 24px';
const LINE =
  'border-top:1px solid #8886;padding:9px 0;vertical-align:top;overflow-wrap:anywhere;word-break:break-word';
// A block: its lines begin at the left in every language.
const CODE = 'display:inline-block;text-align:left;font:13px/1.6 ui-monospace,Menlo,Consolas,monospace';
const BUTTON =
  'display:inline-block;padding:11px 20px;border:1px solid currentColor;border-radius:8px;' +
  'color:inherit;font-weight:600;text-decoration:none';
const SMALL = 'margin:0 0 4px;font-size:14px;overflow-wrap:anywhere';

/** The name of the image that the mail brings. */
export const LOGO_NAME = 'logo.png';
const LOGO_HEIGHT = 40;

/** The mail as a whole HTML document. */
export function htmlOf(content: MailContent): string {
  const { language, subject, title, sentences, rows, button, pageUrl, automatic, contact } = content;
  return html`<!doctype html>
    <html lang="${language.id}" dir="${language.direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;color-scheme:light dark">
        <div lang="${language.id}" dir="${language.direction}" style="${MAIL}">
          ${testNote(content)} ${logoImage(content)}
          <h1 style="${TITLE}">${title}</h1>
          ${sentences.map((sentence) => html`<p style="${SENTENCE}">${linesOf(sentence, content)}</p>`)}
          ${contact?.isUrgent === true ? asking(contact, content, SENTENCE) : null}
          <table style="${TABLE}">
            ${rows.map((row) => rowOf(row, content))}
          </table>
          <p style="margin:0 0 24px"><a href="${pageUrl}" style="${BUTTON}">${button}</a></p>
          ${contact?.isUrgent === false ? asking(contact, content, SMALL) : null}
          <p style="${SMALL}">${filled(automatic, content)}</p>
        </div>
      </body>
    </html> `.markup;
}

/** Where the merchant's name leads to them. */
function asking(
  { sentence, url }: NonNullable<MailContent['contact']>,
  { merchant }: MailContent,
  style: string,
): Html {
  const link = html`<a href="${url}" style="color:inherit">${foreign(merchant)}</a>`;
  return html`<p style="${style}">${fill(sentence, { merchant: link })}</p>`;
}

function testNote({ isTest, texts }: MailContent): Html | null {
  return isTest ? html`<p style="${TEST}"><strong>${texts.testMark}</strong> ${texts.testText}</p>` : null;
}

/** As high as on the page of the payment; the name stands in the mail. */
function logoImage({ logo }: MailContent): Html | null {
  if (logo === null) return null;
  const scale = Math.min(1, LOGO_HEIGHT / logo.height);
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)));
  return html`<p style="margin:0 0 12px">
    <img
      src="cid:${LOGO_NAME}"
      width="${width ?? 1}"
      height="${height ?? 1}"
      alt=""
      style="border-radius:4px"
    />
  </p>`;
}

/** Left and right are literal: not every mail program knows logical values. */
function rowOf({ label, value, kind, url }: Row, { language }: MailContent): Html {
  // A block would not have the line of the link around it.
  const style = `${kind === 'code' ? CODE : ''}${url === null ? '' : ';text-decoration:underline'}`;
  const shown = kind === 'words' ? foreign(value) : figures(value, style);
  const [start, end] = language.direction === 'rtl' ? ['right', 'left'] : ['left', 'right'];
  return html`<tr>
    <th
      scope="row"
      style="${LINE};width:40%;text-align:${start};font-size:14px;font-weight:500;padding-${end}:12px"
    >
      ${label}
    </th>
    <td style="${LINE};text-align:${start}">
      ${url === null ? shown : html`<a href="${url}" style="color:inherit">${shown}</a>`}
    </td>
  </tr>`;
}

function linesOf(sentence: string, content: MailContent): readonly Html[] {
  return sentence
    .split('\n')
    .map((line, place) => html`${place === 0 ? null : html`<br />`}${filled(line, content)}`);
}

/** The no-break space keeps amount and coin on one line. */
function filled(sentence: string, content: MailContent): Html {
  const { merchant, order, time } = content;
  const filling: Record<string, Html> = {
    merchant: foreign(merchant),
    order: foreign(order),
    time: foreign(time),
  };
  for (const [name, value] of Object.entries(content.figures))
    filling[name] = figures(value.replaceAll(/ (?=[A-Z])/g, '\u00a0'), 'font-weight:600');
  return fill(sentence, filling);
}

/** A merchant's text: its direction ends where it ends. Not `bdi`, which mail programs may remove. */
function foreign(text: string): Html {
  return html`<span dir="auto">${text}</span>`;
}

/** Text that reads from left to right in every language. */
function figures(text: string, style: string): Html {
  return html`<span dir="ltr" style="${style}">${text}</span>`;
}
