/** The heading above the output of one command in the logs of a run. */
import { describeCommand, isNamedByLine } from '../../base/shell-words.ts';
import type { CommandBegun } from '../commands.ts';

/** Undefined: the command prints nothing that a person reads. */
export function describeOutput({ key, command, input }: CommandBegun): string | undefined {
  if (command === 'attempt') return `${key}: ${input.agent.id}`;
  if (command === 'setup') return `setup: ${describeCommand(input.command)}`;
  if (command === 'baseline') return `${gateTitle(input)}, on the base`;
  if (command === 'gate') return `${gateTitle(input)}, on attempt ${input.attempt}`;
  return undefined;
}

function gateTitle({ name, command }: { name: string; command: readonly string[] }): string {
  return isNamedByLine(name, command)
    ? `gate ${name}`
    : `gate ${name}: ${describeCommand(command)}`;
}
