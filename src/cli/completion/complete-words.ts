/** What can follow the words that were typed so far. Pure: it reads only the definitions of the commands. */
import type { Argument, Command, Option } from 'commander';

/** A word to offer, and what it is. */
export type Candidate = { readonly word: string; readonly about: string };

/** Words that only this machine knows. */
export type LiveKind = 'runs' | 'active-runs' | 'agents' | 'agent-ids' | 'roles' | 'workflows';

export type Completion =
  | { readonly kind: 'words'; readonly words: readonly Candidate[] }
  /** `prefix` comes before each word, such as `--agent=`. */
  | { readonly kind: 'live'; readonly what: LiveKind; readonly prefix: string }
  | { readonly kind: 'files' };

const NOTHING: Completion = { kind: 'words', words: [] };

/** These act on a run that has not ended. */
const FOR_ACTIVE_RUNS: ReadonlySet<string> = new Set(
  'stop kill pause unpause next retry-now answer attach wait steer queue interrupt takeover'.split(
    ' ',
  ),
);

/** `words` are those after the name of the program. The last one is still being typed, and may be empty. */
export function completeWords(program: Command, words: readonly string[]): Completion {
  const typed = words.at(-1) ?? '';
  const { command, option, operands, isLiteral } = readWords(program, words.slice(0, -1));
  if (option !== undefined) return narrow(valuesOf(command, option, ''), typed);
  if (!isLiteral && typed.startsWith('--') && typed.includes('=')) {
    const [flag = ''] = typed.split('=', 1);
    const named = findOption(command, flag);
    return named === undefined ? NOTHING : narrow(valuesOf(command, named, `${flag}=`), typed);
  }
  if (!isLiteral && typed.startsWith('-')) return narrow(flagsOf(command), typed);
  const subcommands = operands === 0 ? commandsOf(command) : [];
  if (subcommands.length > 0) return narrow({ kind: 'words', words: subcommands }, typed);
  const { registeredArguments: args } = command;
  const last = args.at(-1);
  const argument = args[operands] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? NOTHING : narrow(argumentValues(command, argument), typed);
}

type Position = {
  readonly command: Command;
  /** An option whose value comes next. */
  readonly option: Option | undefined;
  readonly operands: number;
  /** After `--`, nothing is an option. */
  readonly isLiteral: boolean;
};

function readWords(program: Command, words: readonly string[]): Position {
  let at: Position = { command: program, option: undefined, operands: 0, isLiteral: false };
  for (const word of words) at = readWord(at, word);
  return at;
}

function readWord(at: Position, word: string): Position {
  const { command, option, operands, isLiteral } = at;
  if (option !== undefined) return { ...at, option: undefined };
  if (isLiteral) return { ...at, operands: operands + 1 };
  if (word === '--') return { ...at, isLiteral: true };
  if (word.startsWith('-') && word !== '-') {
    const named = word.includes('=') ? undefined : findOption(command, word);
    return named?.required === true ? { ...at, option: named } : at;
  }
  const next = operands === 0 ? findSubcommand(command, word) : undefined;
  return next === undefined ? { ...at, operands: operands + 1 } : { ...at, command: next };
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ short, long }) => flag === short || flag === long);
}

function findSubcommand(command: Command, word: string): Command | undefined {
  return command.commands.find((one) => one.name() === word || one.aliases().includes(word));
}

function commandsOf(command: Command): readonly Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((one) => one.name() !== 'help')
    .map((one) => ({ word: one.name(), about: one.description() }));
}

function flagsOf(command: Command): Completion {
  const options = command.createHelp().visibleOptions(command);
  const words = options.map(({ short, long, description }) => ({
    word: long ?? short ?? '',
    about: description,
  }));
  return { kind: 'words', words };
}

function valuesOf(command: Command, option: Option, prefix: string): Completion {
  if (option.argChoices !== undefined) return choices(option.argChoices, prefix);
  const [, value = ''] = /[<[]([^>\]]+)[>\]]/.exec(option.flags) ?? [];
  const { long } = option;
  if (long === '--agent' || long === '--chain') return { kind: 'live', what: 'agent-ids', prefix };
  if (long === '--role') return { kind: 'live', what: 'roles', prefix };
  if (long === '--workflow' || long === '--template')
    return { kind: 'live', what: 'workflows', prefix };
  return namedValues(command, value, prefix);
}

function argumentValues(command: Command, argument: Argument): Completion {
  if (argument.argChoices !== undefined) return choices(argument.argChoices, '');
  if (command.name() === 'clear') return { kind: 'live', what: 'agent-ids', prefix: '' };
  if (command.parent?.name() === 'roles') return { kind: 'live', what: 'roles', prefix: '' };
  if (command.parent?.name() === 'workflow') return { kind: 'live', what: 'workflows', prefix: '' };
  return namedValues(command, argument.name(), '');
}

/** The name of a value in the help says what it is. */
function namedValues(command: Command, name: string, prefix: string): Completion {
  switch (name) {
    case 'run':
    case 'runs': {
      const what = FOR_ACTIVE_RUNS.has(command.name()) ? 'active-runs' : 'runs';
      return { kind: 'live', what, prefix };
    }
    case 'agent':
      return { kind: 'live', what: 'agents', prefix };
    case 'role':
      return { kind: 'live', what: 'roles', prefix };
    case 'template':
      return { kind: 'live', what: 'workflows', prefix };
    case 'file':
    case 'dir':
    case 'path':
    case 'command':
      return { kind: 'files' };
    default:
      return NOTHING;
  }
}

function choices(words: readonly string[], prefix: string): Completion {
  return { kind: 'words', words: words.map((word) => ({ word: `${prefix}${word}`, about: '' })) };
}

function narrow(completion: Completion, typed: string): Completion {
  if (completion.kind !== 'words') return completion;
  return { kind: 'words', words: startingWith(completion.words, typed) };
}

export function startingWith(words: readonly Candidate[], typed: string): readonly Candidate[] {
  return words.filter(({ word }) => word.startsWith(typed));
}
