import { html, type Html } from '../../../platform/pages/html.ts';
import type { AtMerchant } from '../shell/route.ts';

/** What a merchant without a payment does first, and the guide to each step. */
const STEPS = {
  test: [
    ['payment', '/docs/quick-start'],
    ['webhooks', '/docs/receive-webhooks'],
    ['live', '/docs/go-live'],
  ],
  live: [
    ['live', '/docs/go-live'],
    ['payment', '/docs/first-live-payment'],
    ['webhooks', '/docs/receive-webhooks'],
  ],
} as const;

/** The first steps of a new merchant. */
export function firstSteps({ texts, merchant }: AtMerchant): Html {
  const { stepsTitle, steps, stepsText } = texts.home;
  return html`<section class="card" aria-labelledby="steps">
    <h2 id="steps">${stepsTitle}</h2>
    <ol class="steps">
      ${STEPS[merchant.mode].map(
        ([step, guide]) =>
          html`<li>
            <a href="${guide}">${steps[step]}</a>
            <p class="small">${stepsText[step]}</p>
          </li>`,
      )}
    </ol>
  </section>`;
}
