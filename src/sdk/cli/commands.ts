import { SCRIPTS } from './command/completion.ts';
import type { Command } from './command/command.ts';
import { keys, login } from './commands/login.ts';
import { links } from './commands/links.ts';
import { payments } from './commands/payments.ts';
import { redeliver } from './commands/redeliver.ts';
import { trigger } from './commands/trigger.ts';
import { watchPayment } from './commands/watch.ts';
import { webhooks } from './commands/webhooks.ts';
import { doctor } from './doctor/doctor.ts';
import { listen } from './listen/listen.ts';

const completion: Command = {
  name: 'completion',
  summary: 'Prints the completion of a shell, for the shell to evaluate.',
  parameters: [{ name: 'SHELL', choices: Object.keys(SCRIPTS) }],
  example: 'completion bash >> ~/.bashrc',
  run({ output, words }) {
    const script = Object.entries(SCRIPTS).find(([shell]) => shell === words[0])?.[1] ?? '';
    output.show({ script }, () => script);
    return Promise.resolve(0);
  },
};

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  login,
  ...payments,
  watchPayment,
  ...links,
  listen,
  trigger,
  ...webhooks,
  redeliver,
  keys,
  doctor,
  completion,
];
