import { isIP } from 'node:net';
import { EVM_NETWORK_IDS, NETWORK_IDS } from '../../networks/networks.ts';
import type { Variable } from './variables.ts';
import { parseServers } from '../values/postgres-urls.ts';
import { parseRedisUrl } from '../values/redis-urls.ts';
import { parseNetwork } from '../values/networks.ts';
import { parseUrl, urlFault } from '../values/urls.ts';

/** Reads a variable, or notes what is wrong with it and returns the fallback. */
export type Reader = <T, D>(name: Variable, parse: Parse<T>, fallback: D) => T | D;

/** Parses a variable's value; throws an error whose message completes the sentence "NAME ...". */
export type Parse<T> = (value: string) => T;

/** Above every sensible duration, and below the limit of timers (2^31 ms are 24.8 days). */
const MAX_SECONDS = 20 * 86_400;

export const text: Parse<string> = (value) => value;

export function number(maximum: number): Parse<number> {
  return (value) => {
    const parsed = Number(value);
    if (!/^\d+(\.\d+)?$/.test(value) || parsed > maximum)
      throw new Error(`must be a number from 0 to ${maximum}`);
    return parsed;
  };
}

export const seconds = number(MAX_SECONDS);

export function moreThanZero(parse: Parse<number>): Parse<number> {
  return (value) => {
    const parsed = parse(value);
    if (parsed === 0) throw new Error('must be more than 0');
    return parsed;
  };
}

export function integer(minimum: number, maximum: number): Parse<number> {
  return (value) => {
    const parsed = Number(value);
    if (!/^\d+$/.test(value) || parsed < minimum || parsed > maximum)
      throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
    return parsed;
  };
}

export const flag: Parse<boolean> = (value) => {
  if (value !== 'true' && value !== 'false') throw new Error('must be true or false');
  return value === 'true';
};

export function oneOf<T extends string>(values: readonly T[]): Parse<T> {
  return (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  };
}

export function listOf<T>(parse: Parse<T>): Parse<T[]> {
  return (value) => value.split(',').map((item) => parse(item.trim()));
}

export function unique<T>(parse: Parse<T>): Parse<T[]> {
  return (value) => {
    const items = listOf(parse)(value);
    if (new Set(items).size < items.length) throw new Error('must not name one twice');
    return items;
  };
}

export function offOr<T>(parse: Parse<T>): Parse<T | null> {
  return (value) => (value === 'off' ? null : parse(value));
}

export function serverUrl(protocols: readonly string[]): Parse<string> {
  return (value) => {
    const url = parseUrl(value);
    if (url === null || !protocols.includes(url.protocol) || !value.startsWith(`${url.protocol}//`))
      throw new Error(
        `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
      );
    if (!isDecodable(url.username) || !isDecodable(url.password))
      throw new Error('has a user name or password with a % that is not percent-encoded as %25');
    return value;
  };
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

const postgresUrl = serverUrl(['postgres:', 'postgresql:']);

export const databaseUrl: Parse<string> = (value) => {
  for (const url of parseServers(value).urls) {
    // Poolers refuse the startup parameter, and it would hide the settings that this service makes.
    if (new URL(postgresUrl(url)).searchParams.has('options'))
      throw new Error('must not hold options=: set such options on the role, with ALTER ROLE ... SET');
  }
  return value;
};

export const replicaUrl: Parse<string> = (value) => {
  const { urls, mustWrite } = parseServers(databaseUrl(value));
  if (urls.length > 1 || mustWrite)
    throw new Error('must name one host, without target_session_attrs: a standby takes no writes');
  return value;
};

export const redisUrl: Parse<string> = (value) => {
  const { kind, nodes } = parseRedisUrl(value);
  const urls = nodes.map((node) => serverUrl(['redis:', 'rediss:'])(node));
  return kind === 'sentinel' ? value : urls.join(',');
};

export const hostName: Parse<string> = (value) => {
  if (isIP(value) === 0 && !/^[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?$/.test(value))
    throw new Error('must be an IP address or a host name, without a port');
  return value;
};

export const network: Parse<string> = (value) => {
  if (parseNetwork(value) === null)
    throw new Error('must be IP addresses or networks in CIDR notation with commas, 10.0.0.0/8, and not /0');
  return value;
};

export const mailAddress: Parse<string> = (value) => {
  if (!/^([^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(value))
    throw new Error('must be an address, shop@example.com or Shop <shop@example.com>');
  return value;
};

/** For the audit log, which is read line by line. */
export const personName: Parse<string> = (value) => {
  if (!/^[^\p{C}]{1,100}$/u.test(value) || value.trim() === '')
    throw new Error('must be the name of a person: one line of at most 100 characters');
  return value.trim();
};

/** A merchant on a network. */
export const merchantNetwork: Parse<string> = (value) => {
  const [, network = ''] = /^mer_[0-9A-Z]{26}\/(\w+)$/.exec(value.trim()) ?? [];
  if ((EVM_NETWORK_IDS as readonly string[]).includes(network)) return value.trim();
  throw new Error('must be MERCHANT/NETWORK with commas, mer_.../ethereum');
};

export const baseUrl: Parse<string> = (value) => {
  const fault = urlFault(value, { allowPrivate: true, forDelivery: false });
  if (fault !== null) throw new Error(`must be an http(s) URL: ${fault}`);
  if (/[?#]/.test(value)) throw new Error('must not have a query or a fragment');
  const { origin, pathname } = new URL(value);
  // Scripts, forms and the operators' pages stand at the root of the host.
  if (!/^\/+$/.test(pathname))
    throw new Error(
      'must not have a path: the pages work at the root of a host only; give it one of its own, https://pay.example.com',
    );
  return origin;
};

/** Base of a site's API, which may stand below a path. */
export const siteUrl: Parse<string> = (value) => {
  const url = parseUrl(serverUrl(['http:', 'https:'])(value));
  if (url === null || /[?#]/.test(value)) throw new Error('must not have a query or a fragment');
  return value.replace(/\/+$/, '');
};

/** `name=value` with commas, values percent-encoded: the form of OTEL_EXPORTER_OTLP_HEADERS. */
export const pairs: Parse<Readonly<Record<string, string>>> = (value) =>
  Object.fromEntries(
    value.split(',').map((pair) => {
      const [, name = '', encoded = ''] = /^\s*([\w-]+)=(.*?)\s*$/.exec(pair) ?? [];
      if (name === '' || !isDecodable(encoded)) throw new Error('must be name=value with commas');
      return [name, decodeURIComponent(encoded)];
    }),
  );

export const explorerUrls: Parse<Readonly<Record<string, string>>> = (value) => {
  const urls = pairs(value);
  for (const [name, url] of Object.entries(urls))
    if (!NETWORK_IDS.some((id) => id === name) || !/^https:\/\/[^\s"'<>]*\{tx\}[^\s"'<>]*$/.test(url))
      throw new Error('must be network=https://... with {tx} for the hash, with commas');
  return urls;
};

export const key32: Parse<Buffer> = (value) => {
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(value))
    throw new Error('must be 32 bytes in base64; make one with `openssl rand -base64 32`');
  return Buffer.from(value, 'base64');
};
