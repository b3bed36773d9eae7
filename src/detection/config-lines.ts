/** Writes gates and setup as YAML, as a person would write them in `.supervisor/config.yaml`. */
import { shellInCommand } from '../base/shell-command.ts';
import type { DetectedGate, DetectedSetup } from './detect-commands.ts';

/** Words that YAML reads as another value than text. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off|y|n|~|[-+.]?\d.*|\.(?:inf|nan))$/i;
/** The questions of `supervisor init` show the lines with a margin, on a terminal of 80 columns. */
export const LINE_CHARS_MAX = 76;
const PLAIN = /^[A-Za-z0-9_./-][A-Za-z0-9_./=@+-]*$/;

export function setupLines({ command, inputs, network }: DetectedSetup): readonly string[] {
  return [
    'setup:',
    ...listLines('  command:', command),
    ...(inputs.length === 0 ? [] : [`  inputs: ${list(inputs)}`]),
    ...(network.length === 0 ? [] : [`  network: ${list(network)}`]),
  ];
}

/** `isExplained`: each gate gets a comment that says where it was found. */
export function gateLines(
  gates: readonly DetectedGate[],
  { isExplained }: { readonly isExplained: boolean },
): readonly string[] {
  return [
    'gates:',
    ...gates.flatMap(({ name, command, why }) => [
      ...(isExplained ? [`  # ${why.replaceAll(/\s+/g, ' ')}`] : []),
      ...gateItem(name, command),
    ]),
  ];
}

function gateItem(name: string, command: readonly string[]): readonly string[] {
  const shell = shellInCommand(command) === undefined ? [] : ['allow_shell: true'];
  const short = `  - {${[`name: ${scalar(name)}`, `command: ${list(command)}`, ...shell].join(', ')}}`;
  if (short.length <= LINE_CHARS_MAX) return [short];
  return [
    `  - name: ${scalar(name)}`,
    ...listLines('    command:', command),
    ...shell.map((line) => `    ${line}`),
  ];
}

/** A list that is too long for one line gets a line for each word. */
function listLines(key: string, words: readonly string[]): readonly string[] {
  const line = `${key} ${list(words)}`;
  if (line.length <= LINE_CHARS_MAX) return [line];
  const indent = ' '.repeat(key.search(/\S/) + 2);
  return [key, ...words.map((word) => `${indent}- ${scalar(word)}`)];
}

function list(words: readonly string[]): string {
  return `[${words.map(scalar).join(', ')}]`;
}

/** JSON strings are YAML too. */
function scalar(text: string): string {
  const isPlain = PLAIN.test(text) && !NOT_TEXT.test(text) && !/^-+$|^\.\.\.$/.test(text);
  return isPlain || /^[A-Za-z][A-Za-z]* [A-Za-z][A-Za-z-]*$/.test(text)
    ? text
    : JSON.stringify(text);
}
