import { ApiError, PaymentCheckoutError } from '../../client/index.ts';
import { option, type Command } from '../command/command.ts';
import { clientFor } from '../settings/connect.ts';
import { codeOf } from '../settings/files.ts';
import { findLogin } from '../settings/profiles.ts';
import { printable, type Output } from '../terminal/output.ts';
import { wrong, type Finding, type Subject } from './check.ts';
import { checkClock, checkFile, checkHealth, checkKey, checkPermissions, checkTls } from './service.ts';
import { checkReceiver, checkSecret, checkWebhooks, examineReceiver } from './webhooks.ts';

/** A set-up that works answers at once. */
const PATIENCE = { maxRetries: 1, timeoutMs: 10_000 };

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks the set-up, and says what is wrong and what to do. Exit code 1 when something is.',
  options: [option('examine', 'check the receiver as webhooks examine does')],
  example: 'doctor --examine',
  async run({ terminal, output, values }) {
    const login = findLogin(terminal.env, values.text('profile'));
    const client = clientFor(terminal, login, PATIENCE);
    const findings = [checkFile(terminal.env)];
    try {
      const status = await client.status();
      findings.push(...(await checkAll({ terminal, client, login, status }, values.has('examine'))));
    } catch (error) {
      if (!(error instanceof PaymentCheckoutError)) throw error;
      findings.push(unreachable(login.url, error));
    }
    const isWell = findings.every(({ result }) => result !== 'wrong');
    output.show({ ok: isWell, checks: findings }, () =>
      findings.map((finding) => lineOf(output, finding)).join('\n'),
    );
    return isWell ? 0 : 1;
  },
};

async function checkAll(subject: Subject, isExamined: boolean): Promise<Finding[]> {
  const own = [checkTls(subject), checkHealth(subject), checkClock(subject), checkKey(subject)];
  // The service answers nothing else to a key that it does not know.
  if (!subject.status.authenticated) return own;
  const checks = [
    ['webhooks', checkWebhooks],
    ['secret', checkSecret],
    ['receiver', isExamined ? examineReceiver : checkReceiver],
  ] as const;
  const others = checks.map(([check, run]) =>
    run(subject).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      const request = error.requestId === null ? '' : ` (request ${error.requestId})`;
      return wrong(check, `${error.status} ${error.code}: ${error.message}${request}`, 'see the message');
    }),
  );
  return [...own, checkPermissions(subject), ...(await Promise.all(others))];
}

function unreachable(url: string, error: PaymentCheckoutError): Finding {
  if (error instanceof ApiError)
    return wrong('service', `${url}: ${error.message}`, 'is this the URL of the service, before /v1?');
  return wrong(
    'service',
    `${url} cannot be reached: ${codeOf(error)}`,
    'check the URL, the network, and a proxy',
  );
}

const MARKS = { ok: ['green', 'ok   '], wrong: ['red', 'WRONG'], note: ['yellow', 'note '] } as const;

function lineOf({ paint }: Output, { check, result, found, remedy }: Finding): string {
  const [colour, mark] = MARKS[result];
  const lines = [`${paint(colour, mark)}  ${check.padEnd(13)}  ${printable(found)}`];
  if (remedy !== null) lines.push(`${' '.repeat(22)}-> ${printable(remedy)}`);
  return lines.join('\n');
}
