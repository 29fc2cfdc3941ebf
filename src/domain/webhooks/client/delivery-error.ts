import { errors } from 'undici';
import { AddressBlockedError } from './address-guard.ts';

/** Why a request failed: the closed list that the delivery log shows. */
export const DELIVERY_ERROR_CLASSES = [
  /** The URL cannot be called: no http(s) URL, or http where only https is allowed. */
  'url',
  /** The host name does not resolve. */
  'dns',
  /** The host is, or resolves only to, an address to which webhooks are not sent. */
  'address_blocked',
  'port_blocked',
  'connect_refused',
  'connect_unreachable',
  /** The connection was closed before the response header was complete. */
  'connect_reset',
  /** The certificate was rejected, or the TLS handshake failed; the detail has the reason. */
  'tls',
  /** The deadline passed before the response header was complete; the detail names the phase. */
  'timeout',
  /** The receiver's bytes are no HTTP/1.1 response. */
  'protocol',
  /** The status is 3xx: redirects are not followed. */
  'redirect',
  /** The status is neither 2xx nor 3xx. */
  'status',
  /** This service stopped during the request: the receiver may have handled it. */
  'interrupted',
  /** A fault of this service (shutting down, out of file handles): it says nothing about the receiver. */
  'internal',
] as const;

export type DeliveryErrorClass = (typeof DELIVERY_ERROR_CLASSES)[number];

/** An error with its class; the message may be shown to the merchant. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly errorClass: DeliveryErrorClass;

  constructor(errorClass: DeliveryErrorClass, message: string) {
    super(message);
    this.errorClass = errorClass;
  }
}

const CLASS_OF_CODE: Readonly<Record<string, DeliveryErrorClass>> = {
  ECONNREFUSED: 'connect_refused',
  EHOSTUNREACH: 'connect_unreachable',
  ENETUNREACH: 'connect_unreachable',
  EHOSTDOWN: 'connect_unreachable',
  ENETDOWN: 'connect_unreachable',
  EADDRNOTAVAIL: 'connect_unreachable',
  ECONNRESET: 'connect_reset',
  ECONNABORTED: 'connect_reset',
  EPIPE: 'connect_reset',
  UND_ERR_SOCKET: 'connect_reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
  EPROTO: 'tls',
};

/** Classifies an error while connecting: name, TCP, TLS. */
export function connectError(error: Error, protocol: string): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof AddressBlockedError) return new DeliveryError('address_blocked', error.message);
  const { code, syscall } = fieldsOf(error);
  if (syscall === 'getaddrinfo' || syscall.startsWith('query'))
    return new DeliveryError('dns', textOf(error));
  // An unlisted error without a system call is of TLS: OpenSSL has some eighty codes for a bad certificate.
  const otherwise = protocol === 'https:' && syscall === '' ? 'tls' : 'internal';
  return new DeliveryError(CLASS_OF_CODE[code] ?? otherwise, textOf(error));
}

/** Classifies an error on the open connection, up to the end of the response header. */
export function responseError(error: Error): DeliveryError {
  if (error instanceof DeliveryError) return error;
  const { code } = fieldsOf(error);
  // undici's messages for an unsolicited response, such as 101 Switching Protocols; it asserts that a status
  // is 100 or more.
  const isUnsolicited = error.message === 'bad response' || error.message === 'bad upgrade';
  if (code === 'ERR_ASSERTION') return new DeliveryError('protocol', 'the status is no valid number');
  if (isUnsolicited || error instanceof errors.HTTPParserError)
    return new DeliveryError('protocol', textOf(error));
  // A server may reject the client after the TLS handshake (TLS 1.3 certificate alerts).
  const otherwise = code.startsWith('ERR_SSL_') ? 'tls' : 'internal';
  return new DeliveryError(CLASS_OF_CODE[code] ?? otherwise, textOf(error));
}

const MAX_DETAIL_LENGTH = 300;

/** Makes text of a receiver fit for a log: short, on one line, without characters that Postgres rejects. */
export function sanitizeLogText(text: string): string {
  const short = text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL_LENGTH);
  return short.replace(/\p{Cs}/gu, '\uFFFD');
}

function textOf(error: Error): string {
  const { code, reason } = fieldsOf(error);
  // One error per address that was tried; the aggregate has no message.
  if (error instanceof AggregateError) {
    const each: readonly unknown[] = error.errors;
    return sanitizeLogText(each.map((one) => (one instanceof Error ? one.message : '')).join('; '));
  }
  // OpenSSL's message holds source lines and thread ids; its reason is the readable part.
  const text = reason === '' ? error.message : reason;
  return sanitizeLogText(code === '' || text.includes(code) ? text : `${text} (${code})`);
}

function fieldsOf(error: Error): { code: string; syscall: string; reason: string } {
  const { code, syscall, reason } = error as { code?: unknown; syscall?: unknown; reason?: unknown };
  return { code: textOr(code), syscall: textOr(syscall), reason: textOr(reason) };
}

function textOr(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
