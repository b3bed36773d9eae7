/** Options with the wrong dashes. Commander would take such a word for a task, or for a group of short options. */
import type { Command } from 'commander';
import { Refusal } from '../../base/errors.ts';
import { plainOption } from '../../base/typography.ts';

export function refuseWrongDashes(program: Command, words: readonly string[]): void {
  const end = words.indexOf('--');
  const options = end < 0 ? words : words.slice(0, end);
  const known = longOptions(program, words);
  for (const word of options) {
    refuseLongDash(word);
    refuseSingleDash(word, known);
  }
}

/** A word processor writes a long dash in place of two plain ones. */
function refuseLongDash(word: string): void {
  const plain = plainOption(word);
  if (plain === undefined) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(word)} begins with a long dash, so it is no option.`,
    hint: `Did you mean: ${plain}? If it is a text, put it behind --`,
  });
}

function refuseSingleDash(word: string, known: ReadonlySet<string>): void {
  const [name = ''] = word.split('=', 1);
  if (!/^-[a-z][a-z-]+$/.test(name) || !known.has(`-${name}`)) return;
  throw new Refusal({
    code: 'usage.invalid',
    message: `${JSON.stringify(word)} has one dash, and a long option needs two.`,
    hint: `Did you mean: -${word}? If it is a text, put it behind --`,
  });
}

/** The long options of the command that the words name, and of its subcommand. */
function longOptions(program: Command, words: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  let command: Command | undefined = program;
  for (let place = 0; command !== undefined; place += 1) {
    for (const { long } of command.options) if (long !== undefined) found.add(long);
    const word = words[place];
    command = command.commands.find(
      (one) => one.name() === word || (word !== undefined && one.aliases().includes(word)),
    );
  }
  return found;
}
