import { EVENT_TYPES } from '../../../../domain/payments/lifecycle/states.ts';
import type { WebhookEndpoint } from '../../../../domain/webhooks/endpoint-list/schemas.ts';
import { EndpointSettings } from '../../../../domain/webhooks/registrations/schemas.ts';
import { html, type Html } from '../../../../platform/pages/html.ts';
import { checkboxes } from '../../shell/choices.ts';
import { button, field, form, select } from '../../shell/fields.ts';
import type { AtMerchant } from '../../shell/route.ts';
import { checked, formField } from '../../verbs.ts';

/** The settings that the form holds, as the API takes them. Throws ValidationError. */
export function readSettings(visit: AtMerchant, enabled: boolean): EndpointSettings {
  const { field: read } = visit;
  const types = EVENT_TYPES.filter((type) => read(type) !== '');
  const description = read('description').trim();
  return checked(visit, EndpointSettings, {
    url: read('url').trim(),
    enabled,
    event_types: types.length === 0 ? null : types,
    description: description === '' ? null : description,
    payload: read('payload'),
  });
}

/** What the fields show: what was entered, or what is stored, or nothing. */
function shown({ field: read }: AtMerchant, endpoint: WebhookEndpoint | null) {
  const isEntered = read('payload') !== '';
  return {
    url: isEntered ? read('url') : (endpoint?.url ?? ''),
    types: isEntered ? EVENT_TYPES.filter((type) => read(type) !== '') : (endpoint?.event_types ?? []),
    description: isEntered ? read('description') : (endpoint?.description ?? ''),
    payload: isEntered ? read('payload') : (endpoint?.payload ?? 'full'),
  };
}

/** The form of a registered endpoint; null: of one that is to be added. */
export function settingsForm(visit: AtMerchant, path: string, endpoint: WebhookEndpoint | null): Html {
  const { endpoints: words } = visit.texts.developers;
  const { url, types, description, payload } = shown(visit, endpoint);
  const chosen: readonly string[] = types;
  const options = EVENT_TYPES.map((type) => ({ name: type, label: type, isChecked: chosen.includes(type) }));
  return form(
    path,
    html`${formField()} ${field({ name: 'url', label: words.url, value: url })}
    ${field({ name: 'description', label: words.description, value: description, isOptional: true })}
    ${checkboxes({ legend: words.types, hint: words.typesHint }, options)}
    ${select({ name: 'payload', label: words.payload, value: payload }, [
      ['full', words.full],
      ['thin', words.thin],
    ])}
    ${button(endpoint === null ? words.add : words.save)}`,
    'step narrow',
  );
}

/** The form of the merchant's own URL, which gets every type. */
export function defaultForm(visit: AtMerchant, path: string, url: string | null): Html {
  const { endpoints: words } = visit.texts.developers;
  const value = visit.field('url') === '' ? (url ?? '') : visit.field('url');
  const fields = html`${field({ name: 'url', label: words.url, value, isOptional: true })}
  ${button(words.save)}`;
  return form(path, fields, 'step narrow');
}
