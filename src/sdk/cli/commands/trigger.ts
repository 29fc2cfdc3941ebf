import type { RunScenario } from '../../client/index.ts';
import { option, type Command } from '../command/command.ts';
import { connect } from '../settings/connect.ts';

type Story = NonNullable<RunScenario['story']>;

/** The library of the sandbox (docs/sandbox.md, "The library"). */
const STORIES: Readonly<Record<Story, 1>> = {
  paid: 1,
  'paid-in-two-parts': 1,
  'underpaid-and-expired': 1,
  overpaid: 1,
  'late-honoured': 1,
  'late-refunded': 1,
  'late-after-partial': 1,
  reorganised: 1,
  replaced: 1,
  'conversion-failed': 1,
  'refunded-in-full': 1,
  'refunded-in-part': 1,
  'webhook-endpoint-down-for-a-day': 1,
  'webhooks-twice-and-out-of-order': 1,
};

export const trigger: Command = {
  name: 'trigger',
  summary: 'Plays a story of the sandbox on a new payment. `listen` forwards its events.',
  parameters: [{ name: 'STORY', choices: Object.keys(STORIES) }],
  options: [option('seed TEXT', 'decides what is left to chance')],
  example: 'trigger refunded-in-part',
  async run(call) {
    const { output, values, words } = call;
    const report = await connect(call).sandbox.scenario({
      story: words[0] as Story,
      seed: values.text('seed'),
    });
    output.show(output.isJson ? report : { ...report.payment, transitions: report.transitions });
    return 0;
  },
};
