import { PaymentCheckout, type ServiceStatus } from '../../client/index.ts';
import { CommandError, UsageError, type Call } from '../command/command.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findLogin, type Profile } from './profiles.ts';

/** A client for the login that the call names. */
export function connect({ terminal, values }: Call): PaymentCheckout {
  return clientFor(terminal, findLogin(terminal.env, values.text('profile')));
}

/** A client for a login. Throws UsageError for a URL or a key that cannot be one, without showing the key. */
export function clientFor(
  terminal: Terminal,
  { url, key }: Profile,
  { maxRetries, timeoutMs }: { readonly maxRetries?: number; readonly timeoutMs?: number } = {},
): PaymentCheckout {
  try {
    return new PaymentCheckout({
      apiKey: key,
      baseUrl: url,
      fetch: terminal.fetch,
      sleep: (ms, signal = terminal.signal) => terminal.sleep(ms, signal),
      maxRetries,
      timeoutMs,
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Without the value, which may be a key.
    throw new UsageError(error.message.replace('baseUrl', 'the URL').replace('apiKey', 'the key'));
  }
}

/** What the service says of a login. Throws CommandError where it does not know the key. */
export async function identify(terminal: Terminal, login: Profile): Promise<ServiceStatus> {
  const status = await clientFor(terminal, login, { maxRetries: 1 }).status({ signal: terminal.signal });
  if (!status.authenticated)
    throw new CommandError(`the service at ${login.url} does not know this key: log in with another`);
  return status;
}

/** What may be shown of a key, as in the lists of the service's operators. */
export function shownKey(key: string): string {
  return /^sk_(test|live)_/.test(key) ? `${key.slice(0, 13)}...` : 'sk_...';
}

/** Whether a key would be sent in the clear over a network. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);
}
