import type { PaymentCheckout } from '../../client/index.ts';
import { UsageError, type Call, type Command, type Option } from '../command/command.ts';
import { connect } from '../settings/connect.ts';

/** What an endpoint returns: an object, or a page of them. */
type Resource = object;

interface Request<Body, Result extends Resource> extends Omit<Command, 'run'> {
  /**
   * Sends it. `id` is the first parameter, `part` the second; the body or query has the options under their
   * names in the API.
   */
  readonly send: (
    client: PaymentCheckout,
    id: string,
    body: Body,
    options: PostOptions,
    part: string,
  ) => Promise<Result>;
  /** What people see of a resource, or of each row of a page; default: all. */
  readonly fields?: readonly string[];
  /** Whether exit code 1 is due; default: never. */
  readonly isBad?: (resource: Result) => boolean;
}

interface PostOptions {
  readonly idempotencyKey: string | undefined;
}

/** A command that is one request of the API: options are its fields, with dashes in place of underscores. */
export function request<Body, Result extends Resource>(declared: Request<Body, Result>): Command {
  const { send, fields, isBad, ...command } = declared;
  return {
    ...command,
    async run(call) {
      const { output, values, words } = call;
      const options = { idempotencyKey: values.text('idempotency-key') };
      // The service validates what people type.
      const body = bodyOf(call, command.options ?? []) as Body;
      const [id = '', part = ''] = words;
      const resource = await send(connect(call), id, body, options, part);
      if (output.isJson) output.show(resource);
      else output.show(forPeople(resource, fields));
      if (hasMore(resource)) output.note('There are more: narrow the list, or use a higher --limit.');
      return isBad?.(resource) === true ? 1 : 0;
    },
  };
}

function bodyOf({ values }: Call, options: readonly Option[]): object {
  const given = options.flatMap(({ name, value, isList }): [string, unknown][] => {
    if (!values.has(name) || name === 'idempotency-key') return [];
    const field = name.replaceAll('-', '_');
    if (isList) return [[field, Object.fromEntries(values.texts(name).map((text) => pairOf(name, text)))]];
    if (value === undefined) return [[field, true]];
    return [[field, value === 'N' ? values.number(name) : values.text(name)]];
  });
  return Object.fromEntries(given);
}

function pairOf(name: string, text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--${name} must be KEY=VALUE, not "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}

/** The fields that are wanted, of the resource, or of the rows of its page. */
function forPeople(resource: Resource, fields?: readonly string[]): object {
  const pick = (one: object) => {
    const all: Readonly<Record<string, unknown>> = { ...one };
    return fields === undefined ? all : Object.fromEntries(fields.map((name) => [name, all[name]]));
  };
  const { data, pagination: _, ...more } = resource as { data?: readonly object[]; pagination?: unknown };
  return data === undefined ? pick(resource) : { ...more, results: data.map(pick) };
}

function hasMore(resource: Resource): boolean {
  const { pagination } = resource as { readonly pagination?: { readonly has_more: boolean } };
  return pagination?.has_more === true;
}
