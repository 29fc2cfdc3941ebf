import { SCHEMES } from '../../../../domain/checkout/page/preview.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import type { AtMerchant } from '../../shell/route.ts';

interface Previews {
  /** The page of the frames. */
  readonly path: string;
  /** What they show, by field. */
  readonly shown: Readonly<Record<string, string>>;
  /** What a frame is of. */
  readonly text: string;
}

/** Frames as wide as a phone, light and dark, of what is typed; `preview.js` shows what comes later. */
export function previews({ texts }: AtMerchant, { path, shown, text }: Previews): Html {
  const { preview } = texts.settings;
  const query = new URLSearchParams(shown).toString();
  return html`<section class="card previews" aria-label="${preview.title}">
    <h2>${preview.title}</h2>
    <p class="small">${text}</p>
    <div class="phones">
      ${SCHEMES.map(
        (scheme) =>
          html`<figure>
            <figcaption>${preview[scheme]}</figcaption>
            <iframe
              class="phone"
              title="${preview.title}: ${preview[scheme]}"
              sandbox="allow-same-origin"
              loading="lazy"
              data-scheme="${scheme}"
              src="${path}?scheme=${scheme}&amp;${query}"
            ></iframe>
          </figure>`,
      )}
    </div>
  </section>`;
}
