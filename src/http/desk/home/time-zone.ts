import { TIME_ZONES } from '../../../domain/merchants/time-zone.ts';
import { may, type Right } from '../../../domain/people/rights/roles.ts';
import { html, type Html } from '../../../platform/pages/html.ts';
import { alert, button, form, select } from '../shell/fields.ts';
import type { AtMerchant } from '../shell/route.ts';

/** Who may change the days of the charts: who may change how the shop looks. */
export const TIME_ZONE_RIGHT: Right = 'checkout:write';

/** The form of the time zone, for who may change it; `fault`: what is wrong with what was chosen. */
export function timeZoneCard(visit: AtMerchant, timeZone: string, fault: string | null): Html | null {
  const { texts, merchant } = visit;
  const { zone } = texts.home;
  if (!may(merchant.role, TIME_ZONE_RIGHT)) return null;
  const names = TIME_ZONES.includes(timeZone) ? TIME_ZONES : [timeZone, ...TIME_ZONES];
  const options = names.map((name) => [name, name] as const);
  const fields = html`${select({ name: 'time_zone', label: zone.label, value: timeZone }, options)}
  ${button(zone.save, { kind: 'quiet' })}`;
  return html`<section class="card" aria-labelledby="time-zone">
    <h2 id="time-zone">${zone.title}</h2>
    ${alert(fault)}
    <p class="small">${zone.text}</p>
    ${form(`/dashboard/${merchant.merchant_id}/settings/time-zone`, fields, 'step narrow')}
  </section>`;
}
