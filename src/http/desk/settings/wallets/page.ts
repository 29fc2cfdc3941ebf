import { WALLET_KIND_IDS, namedKind } from '../../../../domain/chain/wallets/kinds.ts';
import type { NetworkId } from '../../../../domain/chain/networks.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import type { Destination } from '../../../../domain/wallets/destinations.ts';
import type { WalletResource } from '../../../../domain/wallets/schemas.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { button, form, select, table, time } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { textArea } from '../../shell/choices.ts';
import { settingsPage, settingsPath } from '../shared/menu.ts';

/** A wallet of the merchant, and from when on it is used; null: it does not wait. */
export interface OwnWallet {
  readonly wallet: WalletResource;
  readonly due: Date | null;
}

export interface ShownWallets {
  readonly destinations: readonly (Omit<Destination, 'wallet'> & { readonly to: string })[];
  readonly own: readonly OwnWallet[];
  readonly nameOf: (network: NetworkId) => string;
  /** What the form has; never its value. */
  readonly entered: { readonly kind: string; readonly network: string };
  readonly fault: string | null;
}

/** Where the money of live payments goes; owners add a wallet. */
export function walletsPage(visit: AtMerchant, shown: ShownWallets): Page {
  const { ownersOnly, wallets: texts } = visit.texts.settings;
  const isOwner = may(visit.merchant.role, 'settings:write');
  const isTest = visit.merchant.mode === 'test';
  const main = html`${isTest ? html`<p class="said">${texts.testText}</p>` : null}
  ${isTest ? null : destinations(visit, shown)} ${ownWallets(visit, shown)}
  ${isOwner ? null : html`<p class="small">${ownersOnly}</p>`}
  ${isOwner && !isTest ? addForm(visit, shown) : null}`;
  return settingsPage(visit, 'wallets', { main, fault: shown.fault });
}

function destinations({ texts }: AtMerchant, { destinations: rows, nameOf }: ShownWallets): Html {
  const { wallets } = texts.settings;
  const heads = [wallets.network, wallets.source, wallets.to];
  return html`<section class="card">
    <h2>${wallets.nowTitle}</h2>
    ${table(
      wallets.nowTitle,
      heads,
      rows.map(({ network, source, to }) => [
        html`${nameOf(network)}`,
        html`${wallets.sources[source]}`,
        html`<code>${to}</code>`,
      ]),
    )}
  </section>`;
}

function ownWallets(visit: AtMerchant, { own, nameOf }: ShownWallets): Html {
  const { wallets } = visit.texts.settings;
  const rows = own.map(({ wallet, due }) => [
    html`${namedKind(wallet.kind)}`,
    html`${wallet.networks.map(nameOf).join(', ')}`,
    html`<code>${toOf(wallet)}</code>`,
    due === null ? html`${wallets.states[wallet.state]}` : html`<span>${wallets.waits} ${time(due)}</span>`,
    time(new Date(wallet.created_at)),
    html`<a class="button" href="${settingsPath(visit, 'wallets')}/${wallet.id}">${wallets.look}</a>`,
  ]);
  const heads = [wallets.kind, wallets.networks, wallets.to, wallets.state, wallets.since, wallets.addresses];
  return html`<section class="card">
    <h2>${wallets.ownTitle}</h2>
    ${own.length === 0 ? html`<p>${wallets.none}</p>` : table(wallets.ownTitle, heads, rows)}
  </section>`;
}

/** What distinguishes a wallet: its treasury, or its public key, shortened. */
export const toOf = ({ public_key, treasury }: WalletResource): string => public_key ?? treasury ?? '';

function addForm(visit: AtMerchant, { entered }: ShownWallets): Html {
  const { wallets } = visit.texts.settings;
  const kinds = WALLET_KIND_IDS.map((kind) => [kind, wallets.kinds[kind]] as const);
  const networks = [
    ['', wallets.byValue],
    ['ethereum', wallets.evm],
    ['bitcoin', wallets.bitcoin],
  ] as const;
  const fields = html`<p>${wallets.addText}</p>
    ${select({ name: 'kind', label: wallets.kind, value: entered.kind }, kinds)}
    ${select({ name: 'network', label: wallets.networks, value: entered.network }, networks)}
    ${textArea({ name: 'value', label: wallets.value, hint: wallets.valueHint })} ${button(wallets.add)}`;
  return html`<section class="card">
    <h2>${wallets.addTitle}</h2>
    ${form(settingsPath(visit, 'wallets'), fields)}
  </section>`;
}
