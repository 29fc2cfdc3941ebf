import type { TSchema } from 'typebox';
import { Appearance, AppearanceBody } from '../../src/domain/checkout/appearance/schemas.ts';
import {
  EventFeed,
  EventResource,
  FeedQuery,
  PaymentEvents,
  PaymentEventsQuery,
  Redeliveries,
  RedeliveriesQuery,
  Redelivery,
} from '../../src/domain/events/schemas.ts';
import { CreateLinkBody, LinkList, LinkResource, UpdateLinkBody } from '../../src/domain/links/schemas.ts';
import { Policy, PolicyChoice } from '../../src/domain/payments/lifecycle/policy.ts';
import { Price } from '../../src/domain/payments/pricing/price.ts';
import {
  AnnounceBody,
  BitcoinRequest,
  RefundAddress,
  RefundBody,
  RefundList,
  RefundProblem,
  RefundResource,
  RequestProblem,
  UnsignedRequest,
} from '../../src/domain/payments/refunds/schemas.ts';
import {
  CreatePaymentBody,
  ListPaymentsQuery,
  PaymentList,
  PaymentResource,
} from '../../src/domain/payments/schemas.ts';
import type { Schema } from './integrations/operations.ts';
import {
  RatesBody,
  RatesResource,
  ReplacedTransfer,
  ReplaceTransferBody,
  SendTransferBody,
  TransferResource,
} from '../../src/domain/sandbox/customer/schemas.ts';
import { Scenario, ScenarioBody } from '../../src/domain/sandbox/scenarios/schemas.ts';
import { AdvanceBody, AdvanceResult, DeliveryAttempt } from '../../src/domain/sandbox/test-clock/schemas.ts';
import {
  Attempt,
  Delivery,
  DeliveryList,
  DeliveryWithAttempts,
  ListDeliveriesQuery,
  RedeliverReport,
  RedeliverBody,
  RedeliverOneBody,
} from '../../src/domain/webhooks/deliveries/schemas.ts';
import {
  EnableEndpointBody,
  ListEndpointsQuery,
  WebhookEndpoint,
  WebhookEndpointList,
} from '../../src/domain/webhooks/endpoint-list/schemas.ts';
import {
  EndpointHealth,
  WebhookConfig,
  WebhookConfigAndHealth,
  WebhookConfigBody,
} from '../../src/domain/webhooks/endpoints/schemas.ts';
import {
  CaseReport,
  ReceiverCheck,
  ReceiverCheckBody,
  TestEventBody,
  TestEventReport,
} from '../../src/domain/webhooks/receiver-check/schemas.ts';
import { EndpointSettings } from '../../src/domain/webhooks/registrations/schemas.ts';
import { RotateSecretBody, WebhookSecrets } from '../../src/domain/webhooks/secrets/schemas.ts';
import { Jwks, RotateSigningKeyBody, SigningKeys } from '../../src/domain/webhooks/signing-keys/schemas.ts';
import { WalletList, WalletResource } from '../../src/domain/wallets/schemas.ts';
import { CursorPagination, PageQuery } from '../../src/domain/api/schemas.ts';
import { ENDPOINTS } from './endpoints.ts';

/** The files of types and what is in them: the name that merchants see, and the service's schema. */
const FILES: Readonly<Record<string, Readonly<Record<string, TSchema>>>> = {
  payments: {
    PaymentStatus: PaymentResource.properties.status,
    Policy,
    PolicyChoice,
    CreatePayment: CreatePaymentBody,
    Payment: PaymentResource,
    ListPayments: ListPaymentsQuery,
    PaymentList,
  },
  refunds: {
    CreateRefund: RefundBody,
    AnnounceRefund: AnnounceBody,
    UnsignedRequest,
    BitcoinRequest,
    RequestProblem,
    RefundProblem,
    Refund: RefundResource,
    RefundAddress,
    RefundList,
  },
  events: {
    ListEvents: FeedQuery,
    EventList: EventFeed,
    ListPaymentEvents: PaymentEventsQuery,
    PaymentEventList: PaymentEvents,
    ListRedeliveries: RedeliveriesQuery,
    Redelivery,
    RedeliveryList: Redeliveries,
  },
  links: {
    CreateLink: CreateLinkBody,
    UpdateLink: UpdateLinkBody,
    Link: LinkResource,
    ListLinks: PageQuery,
    LinkList,
  },
  wallets: { ListWallets: PageQuery, Wallet: WalletResource, WalletList },
  deliveries: {
    ListDeliveries: ListDeliveriesQuery,
    Delivery,
    DeliveryList,
    DeliveryError: Attempt.properties.error,
    DeliveryAttempt: Attempt,
    DeliveryWithAttempts,
    Redeliver: RedeliverOneBody,
    RedeliverRange: RedeliverBody,
    RedeliverReport: RedeliverReport,
    CursorPagination,
  },
  webhooks: {
    SetWebhookConfig: WebhookConfigBody,
    WebhookConfig,
    EndpointHealth,
    WebhookConfigAndHealth,
    RotateSecret: RotateSecretBody,
    WebhookSecrets,
    ListEndpoints: ListEndpointsQuery,
    WebhookEndpoint,
    WebhookEndpointList,
    EnableEndpoint: EnableEndpointBody,
    SendTestEvent: TestEventBody,
    TestEventReport,
    ExamineReceiver: ReceiverCheckBody,
    CaseReport,
    ReceiverCheck,
  },
  endpoints: { EndpointSettings, SigningKeys, RotateSigningKey: RotateSigningKeyBody, Jwks },
  appearance: {
    SetAppearance: AppearanceBody,
    Appearance,
    DisplayCurrency: Appearance.properties.display_currency,
    PaymentMethods: Appearance.properties.methods,
  },
  sandbox: {
    SendTransfer: SendTransferBody,
    Transfer: TransferResource,
    MoveRates: RatesBody,
    MarketRates: RatesResource,
    ReplaceTransfer: ReplaceTransferBody,
    ReplacedTransfer,
    Advance: AdvanceBody,
    SandboxDelivery: DeliveryAttempt,
    AdvanceReport: AdvanceResult,
    Coin: SendTransferBody.properties.coin,
    Network: SendTransferBody.properties.network,
  },
  scenarios: {
    ScenarioPayment: ScenarioBody.properties.payment,
    ScenarioStep: ScenarioBody.properties.script.items,
    RunScenario: ScenarioBody,
    Scenario,
  },
  service: {
    ServiceStatus: responseOf('getStatus'),
    Currency: CreatePaymentBody.properties.price_currency,
  },
};

/** Types that the SDK declares itself, more precisely than a schema can. */
const IMPORTED: Readonly<Record<string, TSchema>> = {
  WebhookEvent: EventResource,
  EventType: EventResource.properties.type,
  CheckoutPrice: Price,
};

/** A type, and the file that declares it. */
interface Use {
  readonly name: string;
  readonly from: string;
}

const NAMES = new Map<string, Use>([
  ...Object.entries(FILES).flatMap(([file, types]) =>
    Object.entries(types).map(([name, schema]) => [keyOf(schema), { name, from: `./${file}.ts` }] as const),
  ),
  ...Object.entries(IMPORTED).map(
    ([name, schema]) => [keyOf(schema), { name, from: '../../event-types.ts' }] as const,
  ),
]);

/** Less than is allowed: the formatter indents the parts of a union further. */
const MAX_COLUMNS = 102;

/**
 * The files of src/sdk/client/types, from the schemas with which the service validates and describes; before
 * the formatter.
 */
export function clientTypes(): ReadonlyMap<string, string> {
  return new Map(Object.entries(FILES).map(([file, types]) => [`${file}.ts`, fileOf(file, types)]));
}

function fileOf(file: string, types: Readonly<Record<string, TSchema>>): string {
  const used = new Map<string, Set<string>>();
  const note = ({ name, from }: Use) => {
    if (from !== `./${file}.ts`) used.set(from, (used.get(from) ?? new Set()).add(name));
  };
  const declared = Object.entries(types).map(([name, schema]) => {
    const { base, own } = extensionOf(plain(schema), types);
    const text = typeOf(own, '', note, true);
    const isObject = own.type === 'object' && own.oneOf === undefined;
    const head = isObject ? `interface ${name}${base} ` : `type ${name} = `;
    return `export ${head}${text}${isObject ? '' : ';'}\n`;
  });
  const imports = [...used].map(
    ([from, names]) => `import type { ${[...names].sort().join(', ')} } from '${from}';\n`,
  );
  return [
    `// Written by \`npm run types:sdk\`, from the schemas of the service.\n`,
    ...(imports.length === 0 ? [] : [imports.sort().join('')]),
    ...declared,
  ].join('\n');
}

/**
 * Splits a schema that has all fields of another type of its file, and more, into that and its own fields.
 */
function extensionOf(
  schema: Schema,
  types: Readonly<Record<string, TSchema>>,
): { base: string; own: Schema } {
  const fields = Object.entries(schema.properties ?? {});
  const has = (other: Schema) =>
    Object.entries(other.properties ?? {}).every(([name, field]) =>
      fields.some(([own, one]) => own === name && JSON.stringify(one) === JSON.stringify(field)),
    ) && other.required?.every((name) => schema.required?.includes(name)) === true;
  const [base, bases] =
    Object.entries(types)
      .map(([name, other]) => [name, Object.keys(plain(other).properties ?? {})] as const)
      .find(
        ([name, names]) => names.length > 2 && names.length < fields.length && has(plain(types[name] ?? {})),
      ) ?? [];
  if (base === undefined || bases === undefined) return { base: '', own: schema };
  const own = fields.filter(([name]) => !bases.includes(name));
  return { base: ` extends ${base}`, own: { ...schema, properties: Object.fromEntries(own) } };
}

type Note = (use: Use) => void;

function typeOf(schema: Schema, indent: string, note: Note, isDeclared = false): string {
  const named = isDeclared ? undefined : NAMES.get(keyOf(schema));
  if (named !== undefined) {
    note(named);
    return named.name;
  }
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined) return union(either.map((part) => typeOf(part, indent, note)));
  if (Array.isArray(schema.type))
    return union(schema.type.map((type: string) => typeOf({ ...schema, type }, indent, note)));
  if (schema.type === 'array') return `readonly ${itemOf(schema.items ?? {}, indent, note)}[]`;
  if (schema.type === 'object') return objectOf(schema, indent, note);
  if (schema.type === 'integer') return 'number';
  return typeof schema.type === 'string' ? schema.type : 'unknown';
}

function objectOf(schema: Schema, indent: string, note: Note): string {
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const isOptional = schema.required?.includes(name) !== true;
    const type = typeOf(value, inner, note);
    const orNone = isOptional && type !== 'unknown' ? ' | undefined' : '';
    return [
      ...commentOf(commentFor(name, value), inner),
      `${inner}${name}${isOptional ? '?' : ''}: ${type}${orNone};`,
    ];
  });
  const [rest] = Object.values(schema.patternProperties ?? {});
  const others = rest ?? schema.additionalProperties;
  if (others === true) lines.push(`${inner}[key: string]: unknown;`);
  else if (typeof others === 'object') lines.push(`${inner}[key: string]: ${typeOf(others, inner, note)};`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** What is said of a field that is a whole type, wherever that stands. */
const OF_TYPES: Readonly<Record<string, string>> = {
  data: 'The rows of the page.',
  deliveries: 'Every attempt to deliver an event.',
  do: 'What happens.',
  event: 'The event.',
  health: 'How its last deliveries went.',
  pagination: 'Where the page ends, and the next begins.',
  payment: 'The payment.',
  policy: 'What happens with too little, too late and too much.',
  price: 'Only of a refund that was asked for in money: what `amount` was converted of.',
};

/** What the schema says of a field, or of its value where it is not null. */
function commentFor(name: string, { description, anyOf = [] }: Schema): string {
  const said = [description, ...anyOf.map((one) => one.description), OF_TYPES[name]].find(
    (text) => text !== undefined,
  );
  if (said === undefined)
    throw new Error(`the schema of ${name} has no description, which becomes its comment`);
  return said;
}

function commentOf(description: string, indent: string): string[] {
  const line = `${indent}/** ${description} */`;
  if (line.length <= MAX_COLUMNS) return [line];
  const lines = [''];
  for (const word of description.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (`${indent} * ${last} ${word}`.length > MAX_COLUMNS) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return [`${indent}/**`, ...lines.map((text) => `${indent} * ${text}`), `${indent} */`];
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(' | ');
}

function itemOf(schema: Schema, indent: string, note: Note): string {
  const type = typeOf(schema, indent, note);
  return NAMES.has(keyOf(schema)) || (schema.enum ?? schema.anyOf ?? schema.oneOf) === undefined
    ? type
    : `(${type})`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function plain(schema: TSchema): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/** The same schema in another place is the same type, whatever is said of it there. */
function keyOf(schema: TSchema | Schema): string {
  const { description: _, ...rest } = schema as Schema;
  return JSON.stringify(rest);
}

function responseOf(operationId: string): TSchema {
  const endpoint = ENDPOINTS.find((one) => one.operationId === operationId);
  if (endpoint === undefined) throw new Error(`there is no ${operationId}`);
  return endpoint.response.schema;
}
