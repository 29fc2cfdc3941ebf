import { fill, html, type Html } from '../checkout/page/html.ts';
import type { MailContent, Row } from './template.ts';

// Styles are inline, and colours are left to the reader's mail program: it knows whether it is dark, and many take style sheets out of
// a mail. Nothing is loaded from anywhere. Language and direction are repeated inside, because some keep only what is in the body.
const LETTER =
  'max-width:34rem;margin:0 auto;padding:20px 16px;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",Arial,sans-serif';
const TEST = 'margin:0 0 20px;padding:10px 14px;border:2px dashed #b45309;border-radius:8px';
const TITLE = 'margin:0 0 8px;font-size:22px;line-height:1.3';
const SENTENCE = 'margin:0 0 20px;overflow-wrap:anywhere';
const TABLE = 'width:100%;border-collapse:collapse;table-layout:fixed;margin:0 0 24px';
const LINE =
  'border-top:1px solid #8886;padding:9px 0;vertical-align:top;overflow-wrap:anywhere;word-break:break-word';
// A block of its own: its lines begin at the left in every language.
const CODE = 'display:inline-block;text-align:left;font:13px/1.6 ui-monospace,Menlo,Consolas,monospace';
const BUTTON =
  'display:inline-block;padding:11px 20px;border:1px solid currentColor;border-radius:8px;color:inherit;font-weight:600;text-decoration:none';
const SMALL = 'margin:0 0 4px;font-size:14px;overflow-wrap:anywhere';

/** The letter as a whole HTML document. */
export function htmlOf(letter: MailContent): string {
  const { language, texts, subject, title, sentence, rows, pageUrl } = letter;
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
        <div lang="${language.id}" dir="${language.direction}" style="${LETTER}">
          ${testNote(letter)}
          <h1 style="${TITLE}">${title}</h1>
          <p style="${SENTENCE}">${filled(sentence, letter)}</p>
          <table style="${TABLE}">
            ${rows.map((row) => rowPart(row, letter))}
          </table>
          <p style="margin:0 0 24px"><a href="${pageUrl}" style="${BUTTON}">${texts.toPage}</a></p>
          <p style="${SMALL}">${filled(texts.contact, letter)}</p>
          <p style="${SMALL}">${texts.automatic}</p>
        </div>
      </body>
    </html> `.markup;
}

function testNote({ isTest, texts }: MailContent): Html | null {
  return isTest ? html`<p style="${TEST}"><strong>${texts.testMark}</strong> ${texts.testText}</p>` : null;
}

/** The sides are named outright: what aligns by direction is not known to every mail program. */
function rowPart({ label, value, kind }: Row, { language }: MailContent): Html {
  const [start, end] = language.direction === 'rtl' ? ['right', 'left'] : ['left', 'right'];
  return html`<tr>
    <th scope="row" style="${LINE};width:38%;text-align:${start};font-weight:500;padding-${end}:12px">
      ${label}
    </th>
    <td style="${LINE};text-align:${start}">
      ${kind === 'words' ? strange(value) : figures(value, kind === 'code' ? CODE : '')}
    </td>
  </tr>`;
}

/** Amount and coin stay on one line, as far as there is room. */
function filled(sentence: string, { merchant, amount }: MailContent): Html {
  return fill(sentence, {
    merchant: strange(merchant),
    amount: figures(amount.replace(' ', '\u00a0'), 'font-weight:600'),
  });
}

/** Text of strangers, whose direction ends where it ends. Not `bdi`, which mail programs may take out. */
function strange(text: string): Html {
  return html`<span dir="auto">${text}</span>`;
}

/** What reads from left to right in every language. */
function figures(text: string, style: string): Html {
  return html`<span dir="ltr" style="${style}">${text}</span>`;
}
