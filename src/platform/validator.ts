import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import formats, { type FormatsPlugin } from 'ajv-formats';
import type { Static, TSchema } from 'typebox';
import { ValidationError } from './errors.ts';
import { ENCODED_TOO_LONG, supportUrlFault, urlFault } from './values/urls.ts';

// The typings of ajv-formats describe the CommonJS default export, which an ES module sees one level up.
const addFormats = formats as unknown as FormatsPlugin;

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
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, discriminator: true });
  addFormats(ajv, ['email', 'date', 'date-time']);
  for (const [format, faultOf] of Object.entries(URL_FAULTS))
    ajv.addFormat(format, (value: string) => faultOf(value, allowPrivate) === null);
  const isDate = ajv.compile({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }] });
  // ajv accepts a leap second and an offset in hours alone; Date does not, and such a value could not be
  // compared.
  ajv.addFormat('date-or-time', (value: string) => isDate(value) && !Number.isNaN(Date.parse(value)));

  const reason = (error: ErrorObject, value: unknown): string => {
    const urlFaultOf = error.keyword === 'format' ? URL_FAULTS[String(error.params.format)] : undefined;
    if (urlFaultOf !== undefined && typeof value === 'string')
      return urlFaultOf(value, allowPrivate) ?? 'is not a URL';
    return REASONS[error.keyword]?.(error) ?? error.message ?? 'is not valid';
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
        const why = reason(error, valueAt(value, error.instancePath));
        throw new ValidationError(fieldOf(error, value, whole) ?? whole, constraintOf(error, why), why);
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

/** Sentences for faults whose standard message is unclear. */
const REASONS: Record<string, (error: ErrorObject) => string> = {
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  discriminator: ({ params }) =>
    params.tagValue === undefined ? 'is required' : `cannot be ${JSON.stringify(params.tagValue)}`,
  not: ({ propertyName }) =>
    propertyName === undefined ? 'cannot be combined with the other fields' : 'is a reserved name',
  propertyNames: () => 'is not an allowed name',
  uniqueItems: () => 'must not have the same entry twice',
  enum: (error) => `must be one of ${(error.params.allowedValues as unknown[]).join(', ')}`,
  format: (error) =>
    FORMAT_REASONS[String(error.params.format)] ?? `must be a valid ${String(error.params.format)}`,
  pattern: (error) =>
    PATTERN_REASONS.get(String(error.params.pattern)) ?? `must match ${String(error.params.pattern)}`,
};

const FORMAT_REASONS: Record<string, string> = {
  'date-or-time':
    'must be an ISO 8601 date (2026-01-31) or a date and time with its offset (2026-01-31T12:00:00Z; a "+" in a URL is written %2B)',
  email: 'must be an e-mail address',
};

/** Text that JSON and Postgres keep as it is: no NUL, no lone surrogate. */
export const TEXT_PATTERN = '^[^\\u0000\\p{Cs}]*$';
/**
 * A decimal string greater than zero: at most 18 digits before the point and 18 after it, no sign, no
 * exponent.
 */
export const AMOUNT_PATTERN = '^(?!0(\\.0+)?$)(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$';

/** A colour. */
export const COLOR_PATTERN = '^#[0-9A-Fa-f]{6}$';

/** What `encodeCursor` returns, and an id: base64url. */
export const CURSOR_PATTERN = '^[A-Za-z0-9_-]+$';

const PATTERN_REASONS = new Map([
  [CURSOR_PATTERN, 'must be the next_cursor of a page'],
  [COLOR_PATTERN, 'must be a colour as #rrggbb, such as "#0a56c7"'],
  [TEXT_PATTERN, 'must be Unicode text without NUL and without lone surrogates'],
  [
    AMOUNT_PATTERN,
    'must be a decimal string greater than zero, such as "10.50": at most 18 digits before and after the point',
  ],
]);

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

function valueAt(value: unknown, instancePath: string): unknown {
  return segments(instancePath).reduce(memberOf, value);
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
