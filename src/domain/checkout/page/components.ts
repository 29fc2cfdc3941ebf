import { createHash } from 'node:crypto';
import { html, type Html } from '../../../platform/pages/html.ts';
import type { Language } from '../../languages/languages.ts';
import { codeComponent, isPutAway, putAway } from '../components/code.ts';
import { helpComponent, type Found } from '../components/help.ts';
import { payComponent } from '../components/pay.ts';
import { awaitedComponent, proofComponent } from '../components/proof.ts';
import { refundComponent, type EnteredAddress } from '../components/refund.ts';
import { simulatorComponent } from '../components/simulator.ts';
import { statusComponent, statusTone } from '../components/status.ts';
import { progressComponent } from '../components/progress.ts';
import { summary, testBand } from '../components/summary.ts';
import { waysComponent } from '../components/ways.ts';
import type { DisplayPrice } from '../view/display-price.ts';
import type { Served, View } from '../view/view.ts';

/** Everything that the components of a page are rendered from. */
export interface PageContent {
  readonly view: View;
  readonly language: Language;
  readonly served: Served;
  /** Where the page is, and the query that keeps its language: its forms post below it. */
  readonly path: string;
  readonly query: string;
  /** The choice of coin and network is open. */
  readonly isOpen: boolean;
  /** The page has the simulator's panel. */
  readonly canSimulate: boolean;
  /** Input for the refund address that is not saved. */
  readonly entered: EnteredAddress | null;
  /** What came of looking a transaction up. */
  readonly found: Found | null;
  /** Input for the receipt's mail address that is none. */
  readonly mail: string | null;
  /** The page's own URL; null: the page shows no code of itself. */
  readonly pageUrl: string | null;
  /** Receipts are mailed. */
  readonly sendsReceipts: boolean;
  /** The price in the merchant's display currency; null: it is not shown. */
  readonly about: DisplayPrice | null;
}

/** A part of the page that the script replaces when its digest differs. */
export interface Component {
  readonly id: string;
  readonly digest: string;
  readonly element: Html;
}

type ComponentId = keyof typeof COMPONENTS;

/** Every component: its attributes, and its content; null: it is empty now. */
const COMPONENTS = {
  said: [html`class="said"`, ({ view, language }) => statusComponent(view, language)],
  progress: [null, ({ view, language }) => progressComponent(view, language)],
  pay: [
    html`class="pay"`,
    ({ view, served, language, path, query, isOpen }) => {
      const pay = payComponent(view, served, language, {
        coinPath: `${path}/coin${query}`,
        togglePath: isOpen ? `${path}${query}` : withFlag(`${path}${query}`, 'open'),
        isOpen,
      });
      if (!isPutAway(view)) return pay;
      const code = codeComponent(view, served, language);
      const rest = pay === null ? null : putAway(pay, code, language.page);
      return html`${awaitedComponent(view, served, language)} ${rest}`;
    },
  ],
  code: [
    html`class="code"`,
    ({ view, served, language }) => (isPutAway(view) ? null : codeComponent(view, served, language)),
  ],
  proof: [
    html`class="proof"`,
    ({ view, served, language, sendsReceipts }) => proofComponent(view, served, language, sendsReceipts),
  ],
  refund: [
    html`class="step refund"`,
    ({ view, served, language, path, query, entered }) =>
      refundComponent(view, served, language, `${path}/refund-address${query}`, entered),
  ],
  ways: [
    html`class="ways"`,
    ({ view, served, language }) =>
      waysComponent(view, language, served.networks.includes(view.payment.network)),
  ],
  help: [
    html`class="help"`,
    ({ view, language, path, query, pageUrl, found, mail, sendsReceipts }) =>
      helpComponent(view, language.page, {
        path: `${path}/transaction${query}`,
        receiptPath: sendsReceipts && view.asksForMail ? `${path}/receipt${query}` : null,
        mail,
        pageUrl,
        found,
      }),
  ],
  simulator: [
    html`class="card simulator"`,
    ({ view, language, canSimulate, path, query }) =>
      canSimulate ? simulatorComponent(view, language.page, `${path}/simulate${query}`) : null,
  ],
} satisfies Record<string, [Html | null, (content: PageContent) => Html | null]>;

/** A path with another parameter, without a value, in its query. */
export const withFlag = (path: string, flag: string): string =>
  `${path}${path.includes('?') ? '&' : '?'}${flag}`;

/** The page's components in their state now. */
export function componentsOf(content: PageContent): Readonly<Record<ComponentId, Component>> {
  const components = Object.entries(COMPONENTS).map(([id, [attributes, render]]) => [
    id,
    component(id, attributes, render(content)),
  ]);
  return Object.fromEntries(components) as Record<ComponentId, Component>;
}

function component(id: string, attributes: Html | null, content: Html | null): Component {
  // The time that is left replaces no component: the script counts down by itself. Digests are compared with
  // those of the same component alone, and every page carries them: they are short.
  const stable = (content?.markup ?? '').replace(/data-seconds.*?<\/span>/s, '');
  const digest = createHash('sha256').update(stable).digest('base64url').slice(0, 8);
  return { id, digest, element: html`<div id="${id}" ${attributes} data-part="${digest}">${content}</div>` };
}

/** The page's one landmark. What the script says to screen readers stands in `heard`. */
export function mainElement(content: PageContent): Html {
  const { view, language, served, canSimulate } = content;
  const { page: texts } = language;
  const { said, progress, pay, code, proof, refund, ways, help, simulator } = componentsOf(content);
  return html`<main class="wide">
    ${served.chains.isTest ? testBand(language) : null}
    <div class="sheet">
      ${summary(view, language, content.about)}
      <p id="offline" class="alert" hidden>${texts.offline}</p>
      <p id="notice" class="alert" hidden></p>
      <section id="status" class="status ${statusTone(view)}" tabindex="-1" aria-label="${texts.progress}">
        ${said.element} ${progress.element}
      </section>
      ${pay.element} ${code.element} ${refund.element}
      <div class="came">${proof.element} ${help.element}</div>
      ${ways.element}
    </div>
    ${canSimulate ? simulator.element : null}
    <div id="heard" class="unseen" role="log"></div>
  </main>`;
}
