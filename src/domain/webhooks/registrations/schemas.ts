import { Type, type Static } from 'typebox';
import { nullable, text } from '../../api/schemas.ts';
import { MAX_URL_LENGTH } from '../../../platform/values/urls.ts';
import { EVENT_TYPES } from '../../payments/lifecycle/states.ts';
import { PAYLOADS } from '../endpoints/registration.ts';

/**
 * The endpoints that a merchant registers. Each event is dispatched to all of them by one statement, so they
 * are bounded.
 */
export const MAX_REGISTERED = 100;
/** Of them at one origin: each event causes a request to each, and the origin may be anybody's. */
export const MAX_AT_ORIGIN = 10;
const MAX_DESCRIPTION_LENGTH = 200;

/** What a merchant chooses for an endpoint. A PUT sets all of it. */
export const EndpointSettings = Type.Object(
  {
    url: Type.String({
      format: 'delivery-url',
      maxLength: MAX_URL_LENGTH,
      description: 'URL that receives the events.',
    }),
    enabled: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether events are sent; false: they wait, or are skipped.',
      }),
    ),
    event_types: Type.Optional(
      nullable(
        Type.Array(Type.Enum([...EVENT_TYPES]), { minItems: 1, uniqueItems: true }),
        'The types that it receives; null: all, also those that are added later.',
      ),
    ),
    description: Type.Optional(
      nullable(text({ maxLength: MAX_DESCRIPTION_LENGTH, description: 'A note for people.' })),
    ),
    payload: Type.Optional(
      Type.Enum([...PAYLOADS], {
        default: 'full',
        description:
          'full: the whole event. thin: its `id`, its `type` and a `link`, under which GET /v1/events/:id ' +
          'returns it.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type EndpointSettings = Static<typeof EndpointSettings>;
