import type { Command } from './command.ts';
import { PROGRAM } from './help.ts';
import { commandOf, COMMON } from './parse.ts';

const ASK = `${PROGRAM} complete -- `;

/** What a shell evaluates: it asks the program, which knows its commands. */
export const SCRIPTS = {
  bash: `_payment_checkout() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(${ASK}"\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _payment_checkout ${PROGRAM}`,
  zsh: `_payment_checkout() {
  local -a found
  found=("\${(@f)$(${ASK}"\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -a found
}
compdef _payment_checkout ${PROGRAM}`,
  fish: `complete -c ${PROGRAM} -f -a '(${ASK}(commandline -opc)[2..] (commandline -ct))'`,
} as const;

/**
 * What may stand in place of the last of `words`, which is what was typed of it: words of commands, options,
 * and the values of those that have choices.
 */
export function complete(commands: readonly Command[], words: readonly string[]): readonly string[] {
  const typed = words.at(-1) ?? '';
  return [...new Set(candidates(commands, words.slice(0, -1)))].filter((one) => one.startsWith(typed));
}

function candidates(commands: readonly Command[], before: readonly string[]): readonly string[] {
  const command = commandOf(commands, before);
  if (command === undefined)
    return commands
      .filter(({ name }) => before.every((word, i) => name.split(' ')[i] === word))
      .flatMap(({ name }) => name.split(' ')[before.length] ?? []);
  const options = [...(command.options ?? []), ...COMMON];
  const last = options.find(({ name }) => `--${name}` === before.at(-1));
  if (last?.value !== undefined) return last.choices ?? [];
  const free = before.slice(command.name.split(' ').length).filter((word) => !word.startsWith('--'));
  const parameter = command.parameters?.[free.length];
  return [...(parameter?.choices ?? []), ...options.map(({ name }) => `--${name}`)];
}
