/** Finds a shell that a command starts with a line of its own, such as `sh -c "a && b"`, also behind other programs. */

const SHELLS = new Set(
  'sh bash rbash dash ash zsh ksh mksh fish csh tcsh nu pwsh powershell'.split(' '),
);

/** Programs that start another program, which their arguments name. */
const WRAPPERS = new Set(
  [
    'env command exec nice ionice nohup time timeout gtimeout stdbuf setsid chrt taskset unshare',
    'sudo doas su runuser chroot xargs parallel find fd watch entr flock script strace ltrace',
    'busybox toybox npx pnpx bunx uv poetry pipenv pdm hatch rye mise direnv dotenv cross-env',
    'prlimit caffeinate catchsegv xvfb-run',
  ].flatMap((names) => names.split(' ')),
);

/** Programs that do so with one of these commands. */
const WRAPPING_COMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ['npm', /^(?:exec|x)$/],
  ['pnpm', /^(?:exec|dlx)$/],
  ['yarn', /^(?:exec|dlx)$/],
  ['bun', /^x$/],
  ['bundle', /^exec$/],
]);

/** Programs that give a line to a shell by themselves, with this option. Words before it: a command, a user or a file. */
const LINE_OPTIONS: ReadonlyMap<string, readonly [option: RegExp, wordsBefore: number]> = new Map([
  ['npx', [/^(?:-c|--call(?:=.*)?)$/, 0]],
  ['npm', [/^(?:-c|--call(?:=.*)?)$/, 1]],
  ['pnpm', [/^(?:-c|--shell-mode)$/, 1]],
  ['su', [/^(?:-[a-z]*c|--command(?:=.*)?)$/, 1]],
  ['runuser', [/^(?:-[a-z]*c|--command(?:=.*)?)$/, 1]],
  ['flock', [/^(?:-[a-z]*c|--command(?:=.*)?)$/, 1]],
  ['script', [/^(?:-[a-z]*c|--command(?:=.*)?)$/, 1]],
]);
/** Options of these that are followed by a value. */
const TAKES_VALUE = /^(?:-[pwE]|--package|--workspace|--wait|--timeout)$/;

/** Splits one argument into a command, as a shell does. */
const SPLITS = /^(?:-[a-zA-Z0-9]*S|--split-string(?:=|$))/;
/** A cluster of short options that has `c`, or its long form in fish. */
const RUNS_LINE = /^(?:-[a-zA-Z]*c[a-zA-Z]*|--command(?:=|$)|-(?:Encoded)?Command$)/;
/** Options of a shell that are followed by a value. */
const HAS_VALUE = /^(?:[-+][a-zA-Z]*[oO]|--rcfile|--init-file)$/;

/** Programs whose own language has a line for a shell, and which of their words is or contains it. */
const LANGUAGES: ReadonlyMap<string, RegExp> = new Map([
  ...['make', 'gmake'].map(
    (name) => [name, /^(?:SHELL|\.SHELLFLAGS)[?:]*=|^(?:-E|--eval)(?:=|$)/] as const,
  ),
  ...['awk', 'gawk', 'mawk', 'nawk'].map(
    (name) => [name, /\bsystem\s*\(|\|\s*getline\b|\|&?\s*"|"\s*\|/] as const,
  ),
  ['git', /^alias\.[^=]*=!/],
]);

/** Such as `bash -lc`. Undefined: the command starts no shell, or one that reads a script of the project. */
export function shellInCommand(command: readonly string[]): string | undefined {
  const [program = '', first = ''] = command;
  const name = nameOf(program);
  const isWrapping = WRAPPING_COMMANDS.get(name)?.test(first) === true;
  if (name === 'cross-env-shell') return name; // it always starts one
  const runsOther = isWrapping || !WRAPPING_COMMANDS.has(name);
  const line = runsOther ? lineOption(name, command.slice(1)) : undefined;
  if (line !== undefined) return line;
  const said = command.slice(1).find((word) => LANGUAGES.get(name)?.test(word) === true);
  if (said !== undefined) return `${name} ${clipped(said)}`;
  if (!WRAPPERS.has(name) && !isWrapping) return shellAt(command, 0);
  if (name === 'env') {
    const split = command.find((word) => SPLITS.test(word));
    if (split !== undefined) return `env ${split.split('=', 1)[0]}`;
  }
  for (let at = 1; at < command.length; at += 1) {
    const found = shellAt(command, at);
    if (found !== undefined) return `${name} … ${found}`;
  }
  const inner = wrappedAt(command, isWrapping ? 2 : 1)
    .map((at) => shellInCommand(command.slice(at)))
    .find((found) => found !== undefined);
  return inner === undefined ? undefined : `${name} … ${inner}`;
}

const SAID_CHARS_MAX = 40;

function clipped(word: string): string {
  return word.length <= SAID_CHARS_MAX ? word : `${word.slice(0, SAID_CHARS_MAX)}…`;
}

/** What a wrapper takes before its program: options, variables, numbers and times. */
const OWN_WORD = /^(?:[-+].*|\w+=.*|\d+(?:\.\d+)?[a-z]*)$/;

/** Where the program of a wrapper may stand, from `first` on. The word after an option may be its value. */
function wrappedAt(command: readonly string[], first: number): readonly number[] {
  const places: number[] = [];
  for (let at = first; at < command.length; at += 1) {
    if (OWN_WORD.test(command[at] ?? '')) continue;
    places.push(at);
    if (!(command[at - 1] ?? '').startsWith('-')) break;
  }
  return places;
}

/** The option with which the program itself starts a shell. What follows its own words belongs to another program. */
function lineOption(name: string, words: readonly string[]): string | undefined {
  const [option, wordsBefore] = LINE_OPTIONS.get(name) ?? [undefined, 0];
  if (option === undefined) return undefined;
  let others = 0;
  for (const [at, word] of words.entries()) {
    if (option.test(word)) return `${name} ${word.split('=', 1)[0]}`;
    const isValue = TAKES_VALUE.test(words[at - 1] ?? '');
    if (word === '--' || (!isValue && !word.startsWith('-') && (others += 1) > wordsBefore)) break;
  }
  return undefined;
}

/** A shell without arguments reads lines from its input. */
function shellAt(command: readonly string[], at: number): string | undefined {
  const shell = nameOf(command[at] ?? '');
  if (!SHELLS.has(shell)) return undefined;
  if (at === command.length - 1) return shell;
  let isValue = false;
  for (const word of command.slice(at + 1)) {
    if (isValue) {
      isValue = false;
      continue;
    }
    isValue = HAS_VALUE.test(word);
    if (RUNS_LINE.test(word)) return `${shell} ${word.split('=', 1)[0]}`;
    // What follows the first word that is no option belongs to the script.
    if (!/^[-+]/.test(word)) return word === '' ? `${shell} ''` : undefined;
    if (word === '-' || word === '-s') return `${shell} ${word}`;
  }
  return undefined;
}

function nameOf(program: string): string {
  return program.slice(program.lastIndexOf('/') + 1);
}
