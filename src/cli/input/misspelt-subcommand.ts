/** A misspelt command of a group, such as `agents chek`. Commander would take the word for an argument of the default. */
import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import { nearest } from '../../yaml/nearest.ts';
import { printable } from '../cli-context.ts';

type Misspelt = {
  readonly word: string;
  /** The group as it was typed, such as `supervisor agents`. */
  readonly group: string;
  readonly meant: string | undefined;
  readonly byDefault: Command;
};

/** Refuses a word that can only be a misspelt command, because the default command of the group takes no words. */
export function refuseMisspeltSubcommand(program: Command, words: readonly string[]): void {
  const found = findMisspelt(program, words);
  if (found === undefined || found.byDefault.registeredArguments.length > 0) return;
  const { word, group, meant } = found;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${printable(JSON.stringify(word))} is no command of ${group}.`,
    hint: `${meant === undefined ? '' : `Did you mean: ${group} ${meant}? `}To see all of them: ${group} --help`,
  });
}

/** A line for a word that the default command of the group could not use, and that is close to another command. */
export function suggestSubcommand(program: Command, words: readonly string[]): string {
  const found = findMisspelt(program, words);
  if (found?.meant === undefined || found.byDefault.registeredArguments.length === 0) return '';
  return `Did you mean: ${found.group} ${found.meant}?\n`;
}

function findMisspelt(program: Command, words: readonly string[]): Misspelt | undefined {
  let [group, typed] = [program, 'supervisor'];
  for (const word of words) {
    if (word.startsWith('-')) return undefined;
    const next = group.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next === undefined) {
      const byDefault = defaultOf(group);
      // `help` is a command of every group.
      if (byDefault === undefined || word === 'help') return undefined;
      const known = group.commands.map((one) => one.name());
      return { word, group: typed, meant: nearest(word, known), byDefault };
    }
    [group, typed] = [next, `${typed} ${next.name()}`];
  }
  return undefined;
}

/** Commander keeps the name to itself. */
function defaultOf(group: Command): Command | undefined {
  const name: unknown = Reflect.get(group, '_defaultCommandName');
  return group.commands.find((one) => one.name() === name);
}
