import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { ValidationError } from './errors.ts';
import { sentenceOf } from './sentences.ts';
import { isMailAddress } from '../../platform/values/emails.ts';
import { ENCODED_TOO_LONG, supportUrlFault, urlFault } from '../../platform/values/urls.ts';

export interface Validator {
  /**
   * A function that returns the value, typed, or throws ValidationError for its first fault. `whole` names
   * the value in errors about the value as a whole (`body`, `query`).
   */
  compile<S extends TSchema>(schema: S, whole: string): (value: unknown) => Static<S>;
}

const validators = new Map<boolean, Validator>();

/**
 * The validator of requests (JSON Schema 2020-12). Its formats beyond the standard's: `delivery-url`,
 * `browser-url` and `support-url` (contract, "URLs"), and `date-or-time` (an ISO 8601 date, or a date-time
 * with its offset). A process has one for each setting: ajv then compiles every schema once, however many
 * applications use it.
 */
export function getValidator({ allowPrivate }: { allowPrivate: boolean }): Validator {
  const validator = validators.get(allowPrivate) ?? createValidator(allowPrivate);
  validators.set(allowPrivate, validator);
  return validator;
}

function createValidator(allowPrivate: boolean): Validator {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, discriminator: true, verbose: true });
  formats.default(ajv, ['date', 'date-time']);
  ajv.addFormat('idn-email', isMailAddress);
  for (const [format, faultOf] of Object.entries(URL_FAULTS))
    ajv.addFormat(format, (value: string) => faultOf(value, allowPrivate) === null);
  const isDate = ajv.compile({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] });
  // ajv accepts a leap second and an offset in hours alone; Date does not, and such a value could not be
  // compared.
  ajv.addFormat('date-or-time', (value: string) => isDate(value) && !Number.isNaN(Date.parse(value)));

  const reason = (error: ErrorObject): string => {
    const urlFaultOf = error.keyword === 'format' ? URL_FAULTS[String(error.params.format)] : undefined;
    if (urlFaultOf !== undefined && typeof error.data === 'string')
      return urlFaultOf(error.data, allowPrivate) ?? 'is not a URL';
    return sentenceOf(error);
  };

  return {
    compile<S extends TSchema>(schema: S, whole: string) {
      // Compiled when it is first needed: all schemas together were 7 % of the time to start.
      let compiled: ValidateFunction | null = null;
      return (value) => {
        const validate = (compiled ??= ajv.compile(schema));
        if (validate(value)) return value as Static<S>;
        const error = validate.errors?.[0];
        if (error === undefined) throw new ValidationError(whole, 'type', 'is not valid');
        const why = reason(error);
        const field = fieldOf(error, value, whole) ?? whole;
        throw new ValidationError(field, constraintOf(error, why), why, misspelt(error, field, schema));
      };
    },
  };
}

/** Why a text is not of a format of URLs; null: it is. */
const URL_FAULTS: Readonly<Record<string, (value: string, allowPrivate: boolean) => string | null>> = {
  'delivery-url': (value, allowPrivate) => urlFault(value, { allowPrivate, forDelivery: true }),
  'browser-url': (value, allowPrivate) => urlFault(value, { allowPrivate, forDelivery: false }),
  'support-url': supportUrlFault,
};

/**
 * The keyword that a value breaks. A URL's format includes the length of its stored form, which is a
 * maxLength to clients; a discriminator's field is missing, or its value is unknown.
 */
function constraintOf({ keyword, params }: ErrorObject, why: string): string {
  if (why === ENCODED_TOO_LONG) return 'maxLength';
  if (keyword !== 'discriminator') return keyword;
  return params.tagValue === undefined ? 'required' : 'enum';
}

/**
 * The unknown fields beside a missing one, of which each may be that one misspelt, as the beginning of its
 * sentence.
 */
function misspelt(
  { keyword, parentSchema, instancePath, data, params }: ErrorObject,
  field: string,
  whole: object,
): string {
  // What a condition of the whole requires stands in a part of its schema.
  const { additionalProperties, properties: known = {} } = (
    instancePath === '' ? whole : (parentSchema ?? {})
  ) as { additionalProperties?: unknown; properties?: object };
  if (keyword !== 'required' || additionalProperties !== false) return '';
  const path = field.slice(0, -String(params.missingProperty).length);
  return Object.keys(data as object)
    .filter((name) => !Object.hasOwn(known, name))
    .slice(0, MOST_NAMED)
    .map((name) => `${path}${name} is not known; `)
    .join('');
}

/** A body may have thousands of unknown fields. */
const MOST_NAMED = 3;

/**
 * The path of the faulty field in dots; null for the value as a whole and for a field without a name.
 * Positions in a list of the query are left out: the client wrote it with commas.
 */
function fieldOf(error: ErrorObject, value: unknown, whole: string): string | null {
  const names: string[] = [];
  let at = value;
  for (const segment of segments(error.instancePath)) {
    if (!Array.isArray(at) || whole !== 'query') names.push(segment);
    at = memberOf(at, segment);
  }
  const params = error.params as { missingProperty?: string; additionalProperty?: string; tag?: string };
  const own = params.missingProperty ?? params.additionalProperty ?? params.tag ?? error.propertyName;
  if (own !== undefined) names.push(own);
  return names.join('.') || null;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function segments(instancePath: string): string[] {
  return instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
}
