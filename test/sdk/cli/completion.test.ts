import { expect } from 'chai';
import { option, type Command } from '../../../src/sdk/cli/command/command.ts';
import { helpOf, overview } from '../../../src/sdk/cli/command/help.ts';
import { complete, SCRIPTS } from '../../../src/sdk/cli/command/completion.ts';
import { findCommand, parseCall } from '../../../src/sdk/cli/command/parse.ts';
import { COMMANDS } from '../../../src/sdk/cli/commands.ts';
import { LIBRARY_NAMES } from '../../../src/domain/sandbox/scenarios/library-names.ts';
import { tableOf } from '../../support/documents.ts';
import { STATUSES } from '../../../src/domain/payments/lifecycle/states.ts';

const words = (text: string) => complete(COMMANDS, text.split(' '));

const WIDE = 1_000;

describe('the commands', () => {
  it('have help that fits a terminal of 60 columns, each text within its own column', () => {
    for (const help of [overview(COMMANDS, 60), ...COMMANDS.map((command) => helpOf(command, 60))])
      for (const line of help.split('\n'))
        if (!line.startsWith('Example: ')) expect(line.length, line).to.be.at.most(60);
    const listed = overview(COMMANDS, 60);
    expect(listed).to.match(/^ {2}payments list {2,}Lists payments, newest/m);
    expect(listed).to.match(/^ {2}webhooks redeliver {2,}Delivers an event again, to\n {20,}\S/m);
  });

  it('are those of the help, each with an example that can be called', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).to.equal(names.length);
    for (const command of COMMANDS) {
      expect(overview(COMMANDS, WIDE)).to.include(`  ${command.name} `).and.include(command.summary);
      const help = helpOf(command, WIDE);
      expect(help)
        .to.include(`Usage: payment-checkout ${command.name}`)
        .and.include(`Example: payment-checkout ${command.name}`);
      const [example = ''] = command.example.split(' >');
      const found = findCommand(COMMANDS, example.split(' '));
      expect(found.command.name).to.equal(command.name);
      parseCall(found.command, found.rest);
      for (const line of [...help.split('\n'), command.summary])
        if (!line.includes(', checkout.')) expect(line.length, line).to.be.at.most(120);
      for (const { name, value, choices } of command.options ?? []) {
        expect(help).to.include(`--${name}${value === undefined ? ' ' : ` ${value}`}`);
        if (choices !== undefined) expect(help).to.include(choices.join(', '));
      }
    }
  });

  it('are those of the how-to page, in its order', () => {
    const listed = tableOf('docs/how-to/use-the-command-line.md', 'command').map(([name = '']) => name);
    expect(listed).to.deep.equal(COMMANDS.map(({ name }) => `\`${name}\``));
  });

  it('know every story of the sandbox and every status', () => {
    expect(words('trigger ').filter((word) => !word.startsWith('--'))).to.deep.equal([...LIBRARY_NAMES]);
    expect(words('payments list --status ')).to.deep.equal([...STATUSES]);
  });

  it('show no key in an example', () => {
    for (const { example } of COMMANDS) expect(example).to.not.match(/sk_|whsec_|key /i);
  });
});

describe('completion', () => {
  it('offers commands, then their words', () => {
    expect(words('')).to.include.members(['login', 'payments', 'webhooks', 'completion']);
    expect(words('pay')).to.deep.equal(['payments']);
    expect(words('payments ')).to.deep.equal([
      'create',
      'get',
      'list',
      'cancel',
      'refund',
      'refunds',
      'announce-refund',
      'clear-refund-address',
      'watch',
    ]);
    expect(words('nothing ')).to.deep.equal([]);
  });

  it('offers options, and the values of those that have choices', () => {
    expect(words('payments list --st')).to.deep.equal(['--status']);
    expect(words('webhooks redeliver dlv_1 --which ')).to.deep.equal(['failed', 'all']);
    expect(words('completion ')).to.include.members(Object.keys(SCRIPTS));
    expect(words('payments get --profile ')).to.deep.equal([]);
  });
});

describe('the form of an option', () => {
  for (const [form, expected] of [
    ['all', { name: 'all', isNeeded: false, isList: false }],
    ['order-id ID!', { name: 'order-id', value: 'ID', isNeeded: true, isList: false }],
    ['metadata KEY=VALUE+', { name: 'metadata', value: 'KEY=VALUE', isNeeded: false, isList: true }],
  ] as const)
    it(`is read from "${form}"`, () => {
      expect(option(form, 'text')).to.deep.equal({ ...expected, text: 'text' });
    });

  it('is right in every command', () => {
    const all = COMMANDS.flatMap(({ options = [] }: Command) => options);
    expect(all.length).to.be.greaterThan(30);
    for (const { name, text } of all) {
      expect(name).to.match(/^[a-z-]+$/);
      expect(text).to.not.equal('');
    }
  });
});
