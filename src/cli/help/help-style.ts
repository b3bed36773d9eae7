/** How commander prints the help: commands in groups, and only defaults that tell the reader something. */
import type { Command, HelpConfiguration, Option } from 'commander';
import { Help } from 'commander';
import { fitLines } from '../../host/output/fit-lines.ts';

/** A flag that is off, and a list that is empty, need no default: their description is enough. */
function describeOption(this: Help, option: Option): string {
  const { defaultValue, defaultValueDescription, description } = option;
  const isPlain =
    defaultValue === false ||
    defaultValue === 0 ||
    (Array.isArray(defaultValue) && defaultValue.length === 0);
  if (isPlain && defaultValueDescription === undefined && option.argChoices === undefined)
    return description;
  return Help.prototype.optionDescription.call(this, option);
}

/** The names only: the usage of a command is in its own help. */
function commandTerm(this: Help, command: Command): string {
  return command.parent?.parent === null
    ? [command.name(), ...command.aliases()].join(', ')
    : Help.prototype.subcommandTerm.call(this, command);
}

/** `help` itself is left out: the last line of the help names it. */
function listCommands(this: Help, command: Command): Command[] {
  return Help.prototype.visibleCommands.call(this, command).filter((one) => one.name() !== 'help');
}

export const HELP_STYLE: HelpConfiguration = {
  optionDescription: describeOption,
  subcommandTerm: commandTerm,
  visibleCommands: listCommands,
};

/** A line break after a full stop or a colon ends a paragraph. Any other one is only in the source. */
const JOINED = /(?<=[^.:\n])\n(?=\S)/g;

/** Help has the width of the terminal, or 80 columns in a pipe. Commander does not break the texts below the options. */
export function layOutHelp(text: string, columns: number): string {
  return fitLines(text.replaceAll(JOINED, ' '), columns);
}
