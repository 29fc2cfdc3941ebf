import { option, UsageError, type Call, type Command } from '../command/command.ts';
import { identify, isUnprotected, shownKey } from '../settings/connect.ts';
import {
  configPath,
  findLogin,
  given,
  KEY_VARIABLE,
  profileName,
  storeProfile,
  URL_VARIABLE,
  type Profile,
} from '../settings/profiles.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const login: Command = {
  name: 'login',
  summary: 'Checks a URL and a key, and stores them. A key is asked for, or read from standard input.',
  options: [option('url URL', 'where the service is: what stands before /v1')],
  example: 'login --url https://pay.example --profile test',
  async run({ terminal, output, values }: Call) {
    const { env } = terminal;
    const profile = profileName(env, values.text('profile'));
    const asked = await askFor(terminal, values.text('url') ?? given(env, URL_VARIABLE));
    const { merchant_id, mode, permissions } = await identify(terminal, asked);
    storeProfile(env, profile, asked);
    const path = configPath(env);
    if (isUnprotected(asked.url)) output.note('This URL is not https: others can read the key on its way.');
    const key = shownKey(asked.key);
    output.show({ profile, url: asked.url, key, mode, merchant_id, permissions, stored_in: path });
    return 0;
  },
};

/** The API has no endpoints for keys: those who operate the service create and revoke them. */
export const keys: Command = {
  name: 'keys',
  summary: 'Shows the key in use. Those who operate the service create and revoke keys.',
  example: 'keys --profile test',
  async run({ terminal, output, values }) {
    const login = findLogin(terminal.env, values.text('profile'));
    const { url, key, from } = login;
    const { merchant_id, mode, permissions } = await identify(terminal, login);
    output.show({ key: shownKey(key), mode, merchant_id, permissions, url, from });
    return 0;
  },
};

/** The login that the user gives: on a terminal by answers, elsewhere by lines of standard input. */
async function askFor(terminal: Terminal, url: string | undefined): Promise<Profile> {
  const key = given(terminal.env, KEY_VARIABLE);
  if (terminal.stdin.isTTY === true)
    return {
      url: url ?? (await terminal.ask('URL of the service: ', false)).trim(),
      key: key ?? (await terminal.ask('API key (it is not shown): ', true)).trim(),
    };
  const lines = url === undefined || key === undefined ? await linesOf(terminal.stdin) : [];
  const read = {
    url: url ?? lines.shift(),
    key: key ?? lines.shift(),
  };
  if (read.url === undefined) throw new UsageError(`--url is missing, and so is ${URL_VARIABLE}`);
  if (read.key === undefined)
    throw new UsageError(`the key is missing: write it to standard input, or set ${KEY_VARIABLE}`);
  return { url: read.url, key: read.key };
}

async function linesOf(input: Terminal['stdin']): Promise<string[]> {
  let text = '';
  for await (const chunk of input) text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
