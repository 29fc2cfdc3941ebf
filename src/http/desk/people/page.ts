import { may, ROLES } from '../../../domain/people/rights/roles.ts';
import type { OpenInvitation } from '../../../domain/people/members/invitations.ts';
import { hasFactor } from '../../../domain/people/sessions/accounts.ts';
import type { Member } from '../../../domain/people/members/members.ts';
import { fill, fillPlain, html, isolated, type Html } from '../../../platform/pages/html.ts';
import { alert, button, field, form, said, select, table, time } from '../shell/fields.ts';
import type { AtMerchant, Page } from '../shell/route.ts';
import type { DeskTexts } from '../shell/texts.ts';

export interface PeopleFaults {
  /** What was entered. */
  readonly email?: string;
  readonly fault?: string;
}

interface People {
  readonly members: readonly Member[];
  readonly invitations: readonly OpenInvitation[];
}

const SAID = ['roleChanged', 'removed', 'withdrawn', 'confirmed'] as const;

/** The page of a merchant's people; owners change them there. */
export function peoplePage(visit: AtMerchant, { members, invitations }: People, faults: PeopleFaults): Page {
  const { texts, query, merchant } = visit;
  const note = SAID.find((one) => one === query.get('said'));
  const isOwner = may(merchant.role, 'people:write');
  return {
    title: texts.people.title,
    status: faults.fault === undefined ? 200 : 400,
    main: html`${said(note === undefined ? null : texts.said[note])} ${alert(faults.fault ?? null)}
      <section class="card">${membersTable(visit, members, isOwner)}</section>
      ${isOwner ? inviteForm(visit, faults.email ?? '') : null}
      ${invitations.length === 0 ? null : invitationsTable(visit, invitations, isOwner)}`,
  };
}

function membersTable(visit: AtMerchant, members: readonly Member[], isOwner: boolean): Html {
  const { texts, session } = visit;
  const { people } = texts;
  const rows = members.map((member) => {
    const you = member.id === session.person_id ? html` <span class="badge">${people.isYou}</span>` : null;
    return [
      html`<span><bdi>${member.email}</bdi>${you}</span>`,
      html`${texts.roles[member.role]}`,
      time(member.since),
      html`${hasFactor(member) ? people.hasFactor : people.noFactor}`,
      ...(isOwner ? [changeForms(visit, member)] : []),
    ];
  });
  const heads = [
    people.person,
    people.role,
    people.since,
    people.factor,
    ...(isOwner ? [people.actions] : []),
  ];
  return table(people.title, heads, rows);
}

function changeForms({ texts, merchant }: AtMerchant, { id, email, role }: Member): Html {
  const { people } = texts;
  const path = `/dashboard/${merchant.merchant_id}/people/${id}`;
  const label = fillPlain(people.roleOf, { email });
  const choice = select(
    { name: 'role', label, value: role, isSeen: false },
    roleOptions(texts),
    `role-${id}`,
  );
  const remove = button(people.remove, { kind: 'quiet', name: fillPlain(people.removeWho, { email }) });
  return html`<div class="actions">
    ${form(`${path}/role`, html`${choice} ${button(people.save, { kind: 'quiet', name: fillPlain(people.saveWho, { email }) })}`, 'inline')}
    ${form(`${path}/remove`, remove, 'inline')}
  </div>`;
}

const roleOptions = (texts: DeskTexts) => ROLES.map((role) => [role, texts.roles[role]] as const);

function inviteForm({ texts, merchant }: AtMerchant, email: string): Html {
  const { people } = texts;
  const fields = html`${field({ name: 'email', label: people.email, type: 'email', value: email })}
  ${select({ name: 'role', label: people.role, value: 'read-only' }, roleOptions(texts))}
  ${button(people.invite)}`;
  return html`<section class="card">
    <h2>${people.inviteTitle}</h2>
    ${form(`/dashboard/${merchant.merchant_id}/people/invite`, fields, 'step narrow')}
  </section>`;
}

function invitationsTable(
  { texts, merchant }: AtMerchant,
  invitations: readonly OpenInvitation[],
  isOwner: boolean,
): Html {
  const { people } = texts;
  const rows = invitations.map(({ id, email, role, expires_at }) => {
    const path = `/dashboard/${merchant.merchant_id}/people/invitations/${id}/withdraw`;
    const name = fillPlain(people.withdrawWho, { email });
    const withdraw = form(path, button(people.withdraw, { kind: 'quiet', name }), 'inline');
    return [
      html`<bdi>${email}</bdi>`,
      html`${texts.roles[role]}`,
      time(expires_at),
      ...(isOwner ? [withdraw] : []),
    ];
  });
  const heads = [people.person, people.role, people.ends, ...(isOwner ? [people.actions] : [])];
  return html`<section class="card">
    <h2>${people.openTitle}</h2>
    ${table(people.openTitle, heads, rows)}
  </section>`;
}

/** What came of an invitation; the link is shown where no mail was sent. */
export function invitedPage(
  { texts, merchant }: AtMerchant,
  { email, link }: { email: string; link: string | null },
): Page {
  const { people } = texts;
  const to = isolated(email);
  return {
    title: people.linkTitle,
    main: html`<div class="card narrow">
      <p>${fill(link === null ? people.mailed : people.unmailed, { email: to })}</p>
      ${link === null ? null : html`<p><code class="link">${link}</code></p>`}
      <p><a class="button" href="/dashboard/${merchant.merchant_id}/people">${people.back}</a></p>
    </div>`,
  };
}
