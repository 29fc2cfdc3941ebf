import type { ListedSession } from '../../../domain/people/sessions/list.ts';
import { fillPlain, html, type Html } from '../../../platform/pages/html.ts';
import { button, field, form, said, table, time } from '../shell/fields.ts';
import type { Page, SignedIn } from '../shell/route.ts';

/** What is wrong with the fields of the new password. */
export interface AccountFaults {
  readonly present?: string;
  readonly next?: string;
}

interface Facts {
  readonly sessions: readonly ListedSession[];
  /** Recovery codes that are left. */
  readonly codes: number;
}

/** The page of a person about themselves. */
export function accountPage(visit: SignedIn, facts: Facts, faults: AccountFaults): Page {
  const { texts, query } = visit;
  const { account } = texts;
  const note = query.get('said');
  const text = note === 'passwordChanged' || note === 'sessionEnded' ? texts.said[note] : null;
  return {
    title: account.title,
    status: Object.keys(faults).length === 0 ? 200 : 400,
    main: html`${said(text)} ${sessionsOf(visit, facts.sessions)} ${passwordOf(visit, faults)}
    ${factorOf(visit, facts.codes)}`,
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
    ${form('/dashboard/account/password', fields, 'step narrow')}
  </section>`;
}

function factorOf({ texts }: SignedIn, codes: number): Html {
  const { account } = texts;
  return html`<section class="card">
    <h2>${account.factorTitle}</h2>
    <p>${fillPlain(account.codesLeft, { count: String(codes) })}</p>
    <p><a class="button" href="/dashboard/set-up">${account.replace}</a></p>
  </section>`;
}
