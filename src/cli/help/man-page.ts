/** The manual page, written from the definitions of the commands. So it can't differ from the help. */
import type { Argument, Command } from 'commander';

/** The page in the format of `man`. It has no date, so that the same commands give the same page. */
export function renderManPage(program: Command, version: string): string {
  return [
    `.TH SUPERVISOR 1 "" "Supervisor ${roff(version)}" "User Commands"`,
    '.SH NAME',
    `supervisor \\- ${roff(program.description().replace(/\.$/, ''))}`,
    '.SH SYNOPSIS',
    '.B supervisor',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...renderGroups(program.commands),
    '.SH ENVIRONMENT',
    ...item('SUPERVISOR_HOME', 'The folder with the state, the journal and your own settings.'),
    ...item('SUPERVISOR_NOTIFY', 'A command or a URL that is notified when a run ends or asks.'),
    ...item('SUPERVISOR_NOTIFY_SECRET', 'Signs the notifications that go to a URL.'),
    ...item('NO_COLOR', 'If it is set, the output has no colour.'),
    '.SH SEE ALSO',
    'The guides are in the folder docs/guide of the package. automation.md has the exit codes and the JSON.',
    '',
  ].join('\n');
}

function renderGroups(commands: readonly Command[]): readonly string[] {
  let group = '';
  return commands.flatMap((command) => {
    const isNew = command.helpGroup() !== group;
    group = command.helpGroup();
    return [
      ...(isNew ? [`.SS "${roff(group.replace(/:$/, ''))}"`] : []),
      ...renderCommand(command),
    ];
  });
}

/** A command with its arguments and options, and then its subcommands. */
function renderCommand(command: Command): readonly string[] {
  const help = command.createHelp();
  const options = help.visibleOptions(command).filter(({ long }) => long !== '--help');
  const names = [
    help.commandUsage(command),
    ...command.aliases().map((name) => `supervisor ${name}`),
  ];
  const details = [
    ...command.registeredArguments.flatMap((argument) => renderArgument(argument)),
    ...options.flatMap((option) => item(option.flags, help.optionDescription(option))),
  ];
  return [
    ...item(names.join(', '), command.description()),
    ...(details.length === 0 ? [] : ['.RS', ...details, '.RE']),
    ...help
      .visibleCommands(command)
      .filter((one) => one.name() !== 'help')
      .flatMap((one) => renderCommand(one)),
  ];
}

function renderArgument(argument: Argument): readonly string[] {
  const choices = argument.argChoices === undefined ? '' : ` (${argument.argChoices.join(', ')})`;
  return item(argument.name(), `${argument.description}${choices}`);
}

function item(name: string, description: string): readonly string[] {
  return ['.TP', `.B ${roff(name)}`, roff(description)];
}

/** Keeps `man` from reading text as its own commands, and a hyphen from becoming a dash. */
function roff(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('…', '...')
    .replaceAll('\n', ' ');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
