import { qrCode } from '../../../domain/checkout/markup/qr-code.ts';
import { may } from '../../../domain/people/rights/roles.ts';
import type { Close } from '../../../domain/tills/close.ts';
import { pairingPath, type Device } from '../../../domain/tills/devices.ts';
import type { Till } from '../../../domain/tills/till.ts';
import { fill, fillPlain, html, isolated, latin, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, said, table, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import { TILLS } from '../texts/tills.ts';

interface Shown {
  readonly devices: readonly Device[];
  readonly closes: readonly Close[];
  readonly fault: string | null;
}

const SAID = ['pinSet', 'revoked'] as const;

/** A till: its devices, what it has taken at each close, its PIN, and its end. */
export function tillPage(visit: AtMerchant, till: Till, { devices, closes, fault }: Shown): Page {
  const { query, merchant } = visit;
  const own = TILLS;
  const note = SAID.find((one) => one === query.get('said'));
  const canChange = may(merchant.role, 'checkout:write');
  const path = `/dashboard/${merchant.merchant_id}/tills/${till.id}`;
  return {
    title: `${own.till}: ${till.name}`,
    status: fault === null ? 200 : 400,
    main: html`${said(note === undefined ? null : TILLS.said[note])} ${alert(fault)}
      <section class="card">
        <h2>${own.devicesTitle}</h2>
        ${devices.length === 0 ? html`<p>${own.noDevices}</p>` : devicesTable(path, devices, canChange)}
        ${canChange ? pairForm(path) : null}
      </section>
      <section class="card">
        <h2>${own.closesTitle}</h2>
        ${closes.length === 0 ? html`<p>${own.noCloses}</p>` : closesTable(visit, closes)}
      </section>
      ${canChange ? changeForms(path) : null}`,
  };
}

function devicesTable(path: string, devices: readonly Device[], canChange: boolean): Html {
  const own = TILLS;
  const rows = devices.map(({ id, name, is_link, seen_at, address, agent }) => [
    html`<bdi>${name}</bdi>`,
    is_link ? html`${own.isLink}` : html`${address}`,
    html`<span class="agent">${agent}</span>`,
    is_link ? html`` : time(seen_at),
    ...(canChange
      ? [
          form(
            `${path}/devices/${id}/end`,
            button(own.revoke, { kind: 'quiet', name: fillPlain(own.revokeWho, { name }) }),
            'inline',
          ),
        ]
      : []),
  ]);
  const heads = [own.device, own.place, own.browser, own.lastUse, ...(canChange ? [own.revoke] : [])];
  return table(own.devicesTitle, heads, rows);
}

function pairForm(path: string): Html {
  const own = TILLS;
  const fields = html`${field({ name: 'device', label: own.deviceName })} ${button(own.pair)}`;
  return html`<h3>${own.pairTitle}</h3>
    ${form(`${path}/devices`, fields, 'step narrow')}`;
}

function closesTable({ texts }: AtMerchant, closes: readonly Close[]): Html {
  const own = TILLS;
  const rows = closes.map(({ number, closed_at, closed_by, device_name, totals }) => {
    const facts = { time: time(closed_at), device: isolated(device_name), name: isolated(closed_by) };
    const sums = [
      ...totals.prices.map(({ amount, currency }) => `${amount} ${currency}`),
      ...totals.coins.map(({ amount, coin, network }) => `${amount} ${coin} (${network})`),
    ];
    return [
      fill(own.close, { number: String(number) }),
      fill(closed_by === '' ? own.closedOn : own.closedBy, facts),
      html`${totals.count}`,
      html`${sums.map((sum) => html`<div>${latin(sum)}</div>`)}`,
    ];
  });
  return table(own.closesTitle, [own.closes, texts.payments.at, own.sales, texts.payments.received], rows);
}

function changeForms(path: string): Html {
  const own = TILLS;
  const pin = html`${field({
    name: 'pin',
    label: own.newPin,
    type: 'password',
    isNumeric: true,
    hint: own.pinHint,
    autocomplete: 'new-password',
  })}
  ${button(own.setPin)}`;
  return html`<section class="card">
      <h2>${own.pinTitle}</h2>
      ${form(`${path}/pin`, pin, 'step narrow')}
    </section>
    <section class="card">
      <h2>${own.endTitle}</h2>
      <p>${own.endText}</p>
      ${form(`${path}/end`, button(own.end, { kind: 'quiet' }))}
    </section>`;
}

/** The link of a new device, which is shown here alone. */
export function linkPage({ ctx, merchant }: AtMerchant, { id, name }: Till, token: string): Page {
  const own = TILLS;
  const link = `${ctx.config.publicUrl}${pairingPath(token)}`;
  return {
    title: `${own.till}: ${name}`,
    main: html`<section class="card narrow">
      <h2>${own.linkTitle}</h2>
      <p>${own.linkText}</p>
      ${qrCode(link, own.linkImage, { id: 'pairing', kind: 'qr' })}
      <p><code>${link}</code></p>
      <p>
        <a class="button" href="/dashboard/${merchant.merchant_id}/tills/${id}">${own.back}</a>
      </p>
    </section>`,
  };
}
