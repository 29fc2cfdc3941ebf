import type { IncomingHttpHeaders } from 'node:http';
import { LONGEST_SESSION_SECONDS } from '../../../domain/people/sessions/store.ts';
import { isToken, type CellSetting } from '../../../platform/values/cells.ts';
import type { Kept } from './route.ts';

/** Browsers keep none longer than 400 days. */
export const DEVICE_SECONDS = 400 * 86_400;

/** The cookies of the desk. */
export interface DeskCookies {
  read(headers: IncomingHttpHeaders): { readonly session: string | null; readonly device: string | null };
  /** The values of Set-Cookie. */
  write(kept: Kept): string[];
}

/** Cookies of this host alone, each a token; `name` is without its prefix. */
export interface HostCookies {
  /** The value of a cookie that is there once; null: it is not, or is no token of ours. */
  read(headers: IncomingHttpHeaders, name: string): string | null;
  /** The value of Set-Cookie; null: no more. */
  write(name: string, value: string | null, seconds: number): string;
}

/**
 * `__Host-` and Secure, so that neither a subdomain nor plain http can set them. Not every browser takes such
 * cookies over http, at localhost either: where PUBLIC_URL begins with http, which production refuses but at
 * this machine, they have neither, and other names. SameSite=Lax: a link in a mail opens the desk signed in.
 */
export function hostCookies(publicUrl: string): HostCookies {
  const isSecure = publicUrl.startsWith('https:');
  const prefix = isSecure ? '__Host-' : '';
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read: ({ cookie: header = '' }, name) => valueOf(header, `${prefix}${name}`),
    write: (name, value, seconds) =>
      `${prefix}${name}=${value ?? ''}; Max-Age=${value === null ? 0 : seconds}; ${attributes}`,
  };
}

/**
 * Desks of several cells are at one host, and `__Host-` allows no other path than `/`: each cell's cookies
 * have its name. Those of before CELL was set are read as well: the cell that knows their tokens is theirs.
 */
export function deskCookies({ publicUrl, cell }: CellSetting & { readonly publicUrl: string }): DeskCookies {
  const cookies = hostCookies(publicUrl);
  const earlier = ['desk', 'desk-device'] as const;
  const [session, device] = cell === null ? earlier : ([`desk.${cell}`, `desk-device.${cell}`] as const);
  const read = (headers: IncomingHttpHeaders, name: string, before: string) =>
    cookies.read(headers, name) ?? cookies.read(headers, before);
  return {
    read: (headers) => ({
      session: read(headers, session, earlier[0]),
      device: read(headers, device, earlier[1]),
    }),
    write: (kept) => [
      ...(kept.session === undefined ? [] : [cookies.write(session, kept.session, LONGEST_SESSION_SECONDS)]),
      ...(kept.device === undefined ? [] : [cookies.write(device, kept.device, DEVICE_SECONDS)]),
    ],
  };
}

function valueOf(header: string, name: string): string | null {
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [value = ''] = values;
  return values.length === 1 && isToken(value) ? value : null;
}
