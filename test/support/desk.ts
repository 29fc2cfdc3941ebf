import { Secret, TOTP } from 'otpauth';
import supertest from 'supertest';
import type { Role } from '../../src/domain/people/rights/roles.ts';
import { invite } from '../../src/domain/people/members/invitations.ts';
import { deskPath, readDeskPath } from '../../src/platform/values/cells.ts';
import type { Harness } from './harness.ts';

export const PASSWORD = 'three green boats at sea';

/** What a browser says of a form that one of the desk's own pages posts. */
export const OWN: Readonly<Record<string, string>> = { 'Sec-Fetch-Site': 'same-origin' };

/** A response of the desk. */
export interface DeskAnswer {
  readonly status: number;
  readonly text: string;
  readonly location: string | undefined;
  /** The cookies that it sets, with their attributes. */
  readonly set: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

/** A browser with its cookies. */
export interface DeskBrowser {
  readonly cookies: Map<string, string>;
  readonly get: (path: string) => Promise<DeskAnswer>;
  readonly post: (
    path: string,
    fields?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<DeskAnswer>;
  /** Posts a form with a file. */
  readonly upload: (path: string, name: string, file: Buffer) => Promise<DeskAnswer>;
}

/** Opens a browser without cookies; `agent` is what it calls itself. Paths of the desk may lack its cell. */
export function openBrowser(harness: Harness, agent = 'Test browser'): DeskBrowser {
  const cookies = new Map<string, string>();
  const placed = (path: string) =>
    readDeskPath(path)?.cell === null ? deskPath(harness.ctx.config, path) : path;
  const send = async (request: supertest.Test, headers: Readonly<Record<string, string>>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await request.set({
      'User-Agent': agent,
      ...headers,
      ...(cookie === '' ? {} : { Cookie: cookie }),
    });
    const own = response.headers as Record<string, string>;
    const set = (response.headers['set-cookie'] ?? []) as unknown as string[];
    for (const one of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(one) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    // A file that is no text comes as bytes.
    const text = (response.text as string | undefined) ?? String(response.body);
    return { status: response.status, text, location: own.location, set, headers: own };
  };
  return {
    cookies,
    get: (path) => send(supertest(harness.app).get(placed(path)), {}),
    post: (path, fields = {}, headers = OWN) =>
      send(supertest(harness.app).post(placed(path)).type('form').send(fields), headers),
    upload: (path, name, file) =>
      send(supertest(harness.app).post(placed(path)).attach(name, file, { filename: 'a.png' }), OWN),
  };
}

/** Somebody who belongs to a merchant, and is signed in. */
export interface DeskPerson extends DeskBrowser {
  readonly id: string;
  readonly email: string;
  /** The code that their app shows now. */
  readonly code: () => string;
  readonly recoveryCodes: readonly string[];
}

/** The value of a hidden field. */
export function hiddenField(text: string, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
}

/** The code that an app shows for a secret. */
export function codeOf(harness: Harness, secret: string): string {
  const app = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) });
  return app.generate({ timestamp: harness.ctx.now().getTime() });
}

/** Invites somebody past the desk, and returns the path of the link. */
export async function invitePath(
  harness: Harness,
  email: string,
  { role = 'owner', merchantId = harness.merchant.id }: { role?: Role; merchantId?: string } = {},
): Promise<string> {
  const by = { kind: 'command', actor: 'test', address: null } as const;
  const invited = await invite(harness.ctx, { merchantId, email, role }, by);
  if (typeof invited === 'string') throw new Error(invited);
  return new URL(invited.link).pathname;
}

/** Invites somebody, who accepts, chooses a password and sets up an app: all of it through the desk. */
export async function joinDesk(
  harness: Harness,
  email: string,
  options: { role?: Role; merchantId?: string; agent?: string } = {},
): Promise<DeskPerson> {
  const browser = openBrowser(harness, options.agent);
  await browser.post(await invitePath(harness, email, options), { password: PASSWORD });
  const { text } = await browser.get('/dashboard/set-up');
  const secret = hiddenField(text, 'secret');
  const code = () => codeOf(harness, secret);
  const done = await browser.post('/dashboard/set-up', { secret, code: code() });
  const recoveryCodes = [...done.text.matchAll(/<code>([0-9A-Z-]{19})<\/code>/g)].map(([, one = '']) => one);
  const person = await harness.ctx.db<{ id: string; email: string }>('people').where({ email }).first('id');
  return { ...browser, id: person?.id ?? '', email, code, recoveryCodes };
}
