import type { Passkey } from '../../../domain/people/passkeys/store.ts';
import type { ListedSession } from '../../../domain/people/sessions/list.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, said, table, time } from '../shell/fields.ts';
import { PASSKEY_SCRIPT } from '../shell/passkeys.ts';
import type { Page, SignedIn } from '../shell/route.ts';

/** What is wrong with the fields of the new password, or with a passkey. */
export interface AccountFaults {
  readonly present?: string;
  readonly next?: string;
  readonly passkey?: string;
}

interface Facts {
  readonly sessions: readonly ListedSession[];
  /** Recovery codes that are left. */
  readonly codes: number;
  readonly passkeys: readonly Passkey[];
  /** The form of another passkey; null: the second factor has to be proven first. */
  readonly newPasskey: Html | null;
}

const SAID = ['passwordChanged', 'sessionEnded', 'passkeyAdded', 'passkeyRemoved', 'confirmed'] as const;

/** The page of a person about themselves. */
export function accountPage(visit: SignedIn, facts: Facts, faults: AccountFaults): Page {
  const { texts, query } = visit;
  const { account } = texts;
  const note = query.get('said');
  const text = SAID.find((one) => one === note);
  return {
    title: account.title,
    status: Object.keys(faults).length === 0 ? 200 : 400,
    main: html`${said(text === undefined ? null : texts.said[text])} ${alert(faults.passkey ?? null)}
    ${sessionsOf(visit, facts.sessions)} ${passkeysOf(visit, facts)} ${passwordOf(visit, faults)}
    ${factorOf(visit, facts.codes)}`,
    scripts: [PASSKEY_SCRIPT],
  };
}

function sessionsOf({ texts, session }: SignedIn, sessions: readonly ListedSession[]): Html {
  const { account } = texts;
  const rows = sessions.map(({ id, address, agent, seen_at }) => {
    const when = seen_at.toISOString().slice(0, 16).replace('T', ' ');
    const name = fillPlain(account.endWhich, { address, time: when });
    const end =
      id === session.id
        ? html`<span class="badge">${account.here}</span>`
        : form(
            `/dashboard/account/sessions/${id}/end`,
            button(account.end, { kind: 'quiet', name }),
            'inline',
          );
    return [html`<bdi>${address}</bdi>`, html`<span class="agent">${agent}</span>`, time(seen_at), end];
  });
  const heads = [account.place, account.device, account.lastUse, account.end];
  return html`<section class="card">
    <h2>${account.sessionsTitle}</h2>
    ${table(account.sessionsTitle, heads, rows)}
  </section>`;
}

function passkeysOf({ texts }: SignedIn, { passkeys, newPasskey }: Facts): Html {
  const own = texts.passkeys;
  const rows = passkeys.map(({ id, name, created_at, used_at }) => {
    const which = fillPlain(own.removeWhich, { name });
    const path = `/dashboard/account/passkeys/${id}/remove`;
    const remove = form(path, button(own.remove, { kind: 'quiet', name: which }), 'inline');
    return [html`<bdi>${name}</bdi>`, time(created_at), time(used_at), remove];
  });
  const heads = [own.name, own.made, own.used, own.remove];
  const confirm = `/dashboard/second-factor?to=${encodeURIComponent('/dashboard/account')}`;
  return html`<section class="card">
    <h2>${own.list}</h2>
    ${rows.length === 0 ? html`<p>${own.none}</p>` : table(own.list, heads, rows)}
    ${newPasskey ?? html`<p><a class="button" href="${confirm}">${own.confirm}</a></p>`}
  </section>`;
}

function passwordOf({ texts, session }: SignedIn, faults: AccountFaults): Html {
  const { account, invitation } = texts;
  const password = { type: 'password' } as const;
  // For programs that keep passwords.
  const fields = html`<input
      type="text"
      name="username"
      value="${session.email}"
      autocomplete="username"
      hidden
    />
    ${field({
      ...password,
      name: 'present',
      label: account.present,
      autocomplete: 'current-password',
      fault: faults.present ?? null,
    })}
    ${field({
      ...password,
      name: 'next',
      label: account.next,
      autocomplete: 'new-password',
      hint: invitation.rules,
      fault: faults.next ?? null,
    })}
    <p class="small">${account.everywhere}</p>
    ${button(account.submit)}`;
  return html`<section class="card">
    <h2>${account.passwordTitle}</h2>
    ${session.has_password ? form('/dashboard/account/password', fields, 'step narrow') : html`<p>${account.noPassword} <a href="/dashboard/forgotten">${texts.forgotten.title}</a></p>`}
  </section>`;
}

function factorOf({ texts, session }: SignedIn, codes: number): Html {
  const { account } = texts;
  const left = html`<p>${fillPlain(account.codesLeft, { count: String(codes) })}</p>`;
  return html`<section class="card">
    <h2>${account.factorTitle}</h2>
    ${session.has_totp ? left : null}
    <p>
      <a class="button" href="/dashboard/set-up">${session.has_totp ? account.replace : account.setUpApp}</a>
    </p>
  </section>`;
}
