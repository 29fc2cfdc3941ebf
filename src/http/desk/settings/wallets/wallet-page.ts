import { namedKind } from '../../../../domain/chain/wallets/kinds.ts';
import type { NetworkId } from '../../../../domain/chain/networks.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import type { ShownAddress } from '../../../../domain/wallets/first-addresses.ts';
import { fill, html, type Html } from '../../../../platform/pages/html.ts';
import { pairs } from '../../shell/choices.ts';
import { button, field, form, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';
import { toOf, type OwnWallet } from './page.ts';

export interface ShownWallet extends OwnWallet {
  readonly addresses: readonly ShownAddress[];
  readonly nameOf: (network: NetworkId) => string;
  /** Another wallet has taken money on its networks: this one waits once it is confirmed. */
  readonly fault: string | null;
}

/** A wallet with its first addresses, which its owner compares with what their own wallet shows. */
export function walletPage(visit: AtMerchant, shown: ShownWallet): Page {
  const { wallet, due, nameOf, fault } = shown;
  const { wallets } = visit.texts.settings;
  const isOwner = may(visit.merchant.role, 'settings:write');
  const isPending = wallet.state === 'pending';
  const facts: readonly (readonly [string, Html])[] = [
    [wallets.kind, html`${namedKind(wallet.kind)}`],
    [wallets.networks, html`${wallet.networks.map(nameOf).join(', ')}`],
    [wallets.to, html`<code>${toOf(wallet)}</code>`],
    [wallets.state, html`<strong>${due === null ? wallets.states[wallet.state] : wallets.waiting}</strong>`],
    ...(due === null ? [] : [[wallets.used, time(due)] as const]),
    [wallets.since, time(new Date(wallet.created_at))],
  ];
  const main = html`<section class="card">
      ${pairs(facts)} ${wallet.unaudited ? html`<p>${wallets.unaudited}</p>` : null}
      ${due === null ? null : html`<p>${fill(wallets.waitsText, { time: time(due) })}</p>`}
    </section>
    ${addressesOf(visit, shown)} ${isOwner && isPending && due === null ? confirmForm(visit, shown) : null}
    ${isOwner && (isPending || wallet.state === 'in_use') ? retireForm(visit, shown) : null}
    <p><a class="button" href="${settingsPath(visit, 'wallets')}">${wallets.back}</a></p>`;
  return settingsPage(visit, 'wallets', { main, fault });
}

function addressesOf({ texts }: AtMerchant, { addresses }: ShownWallet): Html | null {
  const { wallets } = texts.settings;
  if (addresses.length === 0) return null;
  const rows = addresses.map(({ index, path, address }) => [
    html`${index}`,
    html`<code>${address}</code>`,
    html`<code>${path}</code>`,
  ]);
  return html`<section class="card">
    <h2>${wallets.firstTitle}</h2>
    ${table(wallets.firstTitle, ['#', wallets.address, wallets.path], rows)}
  </section>`;
}

function confirmForm(visit: AtMerchant, { wallet, fault }: ShownWallet): Html {
  const { wallets } = visit.texts.settings;
  const isTreasury = wallet.treasury !== null;
  const fields = html`<p>${isTreasury ? wallets.confirmTreasury : wallets.confirmText}</p>
    ${field({ name: 'address', label: wallets.address, hint: wallets.confirmHint, fault })}
    ${button(wallets.confirm)}`;
  return html`<section class="card">
    <h2>${wallets.confirmTitle}</h2>
    ${form(`${settingsPath(visit, 'wallets')}/${wallet.id}/confirm`, fields)}
  </section>`;
}

function retireForm(visit: AtMerchant, { wallet, due }: ShownWallet): Html {
  const { wallets } = visit.texts.settings;
  const isUsed = wallet.state === 'in_use';
  const [text, label] = isUsed
    ? [wallets.retireText, wallets.retire]
    : [due === null ? wallets.discardText : wallets.withdrawText, wallets.withdraw];
  const path = `${settingsPath(visit, 'wallets')}/${wallet.id}/retire`;
  return html`<section class="card">
    <p>${text}</p>
    ${form(path, button(label, { kind: 'quiet' }), 'inline')}
  </section>`;
}
