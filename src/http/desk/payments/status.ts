import { isRefunded, isSettled, isUnderWay, type Status } from '../../../domain/payments/lifecycle/states.ts';
import { html, type Html } from '../../../platform/pages/html.ts';

/** A status, by the API's word for it; its colour only repeats what it says. */
export function statusBadge(status: Status): Html {
  const tone = isSettled(status) ? 'good' : isUnderWay(status) || isRefunded(status) ? '' : 'care';
  return html`<span class="badge ${tone}">${status}</span>`;
}
