import { PERMISSIONS, type Permission } from '../../../../domain/api/endpoint.ts';
import { parseAddresses, type KeyLimits } from '../../../../domain/merchants/key-limits.ts';
import { may } from '../../../../domain/people/rights/roles.ts';
import { addSeconds } from '../../../../platform/clock.ts';
import { html } from '../../../../platform/pages/html.ts';
import { checkboxes, textArea } from '../../shell/choices.ts';
import { alert, button, field, form, select } from '../../shell/fields.ts';
import type { AtMerchant, Page } from '../../shell/route.ts';
import { formField } from '../../verbs.ts';
import { framed, linkButton } from '../frame/frame.ts';
import { keysPath } from './pages.ts';

const MOST_NAME = 100;
const DAY_SECONDS = 86_400;

/** What is wrong with the fields of a new key. */
export interface KeyFaults {
  readonly name?: string;
  readonly rights?: string;
  readonly addresses?: string;
  readonly whole?: string;
}

export interface AskedKey extends KeyLimits {
  readonly permissions: readonly Permission[];
}

/** What a person may give to a key: no more than they may do themselves. */
const rightsOf = ({ merchant }: AtMerchant): readonly Permission[] =>
  PERMISSIONS.filter((permission) => may(merchant.role, permission));

/** Reads the form of a new key. */
export function readKeyForm(visit: AtMerchant): AskedKey | KeyFaults {
  const { ctx, texts, field: read } = visit;
  const { keys: words } = texts.developers;
  const permissions = rightsOf(visit).filter((permission) => read(permission) !== '');
  if (permissions.length === 0) return { rights: words.noRights };
  const name = read('name').trim();
  if (name.length > MOST_NAME || name.includes('\0')) return { name: words.badName };
  const addresses = parseAddresses(read('addresses'));
  if (addresses === 'bad') return { addresses: words.badAddresses };
  if (addresses === 'tooMany') return { addresses: words.manyAddresses };
  // Another number than those of the list is nobody's mistake: it ends, and that soon.
  const days =
    read('days') === '' ? null : Math.min(Math.max(Number.parseInt(read('days'), 10) || 1, 1), 365);
  const expiresAt = days === null ? null : addSeconds(ctx.now(), days * DAY_SECONDS);
  return { permissions, name: name === '' ? null : name, expiresAt, addresses };
}

/** The form of a new key, with what was entered before. */
export function keyFormPage(visit: AtMerchant, faults: KeyFaults): Page {
  const { cancel, keys: words } = visit.texts.developers;
  const rights = rightsOf(visit).map((permission) => ({
    name: permission,
    label: permission,
    isChecked: visit.field(permission) !== '',
  }));
  const fields = html`${formField()}
  ${field({
    name: 'name',
    label: words.name,
    value: visit.field('name'),
    hint: words.nameHint,
    fault: faults.name ?? null,
    isOptional: true,
  })}
  ${checkboxes({ legend: words.rights, hint: words.rightsHint, fault: faults.rights ?? null }, rights)}
  ${select({ name: 'days', label: words.lifetime, value: visit.field('days') }, lifetimes(visit))}
  ${textArea({
    name: 'addresses',
    label: words.addresses,
    value: visit.field('addresses'),
    hint: words.addressesHint,
    fault: faults.addresses ?? null,
    isOptional: true,
  })}
  ${button(words.submit)}`;
  return framed(visit, {
    title: words.create,
    status: Object.keys(faults).length === 0 ? 200 : 400,
    main: html`<section class="card narrow">
      ${alert(faults.whole ?? null)} ${form(`${keysPath(visit)}/new`, fields)}
      ${linkButton(keysPath(visit), cancel)}
    </section>`,
  });
}

/** In the order of the texts but for the first: names that are numbers come first in an object. */
function lifetimes({ texts }: AtMerchant): readonly (readonly [string, string])[] {
  const { '': always, ...days } = texts.developers.keys.lifetimes;
  return [['', always], ...Object.entries(days)];
}
