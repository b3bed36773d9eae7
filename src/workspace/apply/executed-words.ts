/**
 * Which words of a command may name a file that it executes. An interpreter executes its script, but grep, a compiler
 * or a linter only reads the files that are named to it. If that is not known of a program, every word counts.
 */
import { posix } from 'node:path';
import { scriptLines, withoutKeywords } from './script-lines.ts';
import { splitCommands } from './split-commands.ts';

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** They only read what is named to them, whatever their flags are. */
const READERS = names(`
  grep egrep fgrep cat head tail wc test [ diff cmp ls stat file cut uniq jq echo printf true false mkdir touch
  md5sum sha1sum sha256sum shasum xmllint
`);

/** They read the files that are named to them. The value of a flag may be code: settings, plugins, rules. */
const CHECKERS = names(`
  eslint oxlint oxfmt biome prettier standard xo stylelint tsc tsgo vue-tsc markdownlint markdownlint-cli2 cspell
  ruff black isort flake8 pyflakes pycodestyle pydocstyle pylint mypy pyright basedpyright bandit vulture
  shellcheck shfmt yamllint hadolint actionlint gofmt rustfmt clang-format luacheck rubocop phpcs phpstan
`);

/** Modules of Python that read the files that are named to them. */
const CHECKING_MODULES = names(`
  py_compile compileall tabnanny tokenize ast json.tool ruff black isort flake8 pyflakes pycodestyle pydocstyle
  pylint mypy pyright bandit vulture
`);

/** Flags of checkers that take no value, so that the word behind one is a file to check. */
const PLAIN_FLAGS = names(`
  --check --fix --quiet -q --noEmit --strict --write --list-different -l -w -d --diff -s -u --cache --no-cache --color
  --no-color --silent --dry-run --verbose -v --no-warn-ignored --skipLibCheck --allowJs --checkJs --pretty
`);

const SHELLS = names('sh bash dash zsh ksh ash');
const NODE = names('node nodejs');
const PYTHON = /^(?:python|pypy)[\d.]*$/;
/** Flags of node whose value is loaded. */
const NODE_LOADS =
  /^(?:-r|--require|--import|--loader|--experimental-loader|--env-file|--env-file-if-exists)$/;

/** The words of one command that may name what it executes, the program first. */
export function executedWords(command: readonly string[]): readonly string[] {
  const [program = '', ...args] = withoutWrappers(command);
  const name = programName(program);
  if (READERS.has(name)) return [program];
  if (CHECKERS.has(name)) return [program, ...valuesOfFlags(args)];
  if (readsOnly(name, args)) return [program, ...valuesOfFlags(args, NODE_LOADS)];
  if (PYTHON.test(name)) {
    const at = args.findIndex((arg) => !/^-[BbdEiIOPqsSuvx]+$/.test(arg));
    const module = args[at] === '-m' ? (args[at + 1] ?? '') : '';
    // A file of that name in the project is started in place of the module.
    if (CHECKING_MODULES.has(module))
      return [program, `${module.replaceAll('.', '/')}.py`, ...valuesOfFlags(args.slice(at + 2))];
  }
  const line = SHELLS.has(name) && /^-[a-z]*c$/.test(args[0] ?? '') ? args[1] : undefined;
  if (line !== undefined && args.length === 2) return [program, ...executedLines(line).flat()];
  return command;
}

/** The same for each pipeline of a line for a shell. A line that can't be split counts as a whole. */
export function executedLines(line: string): readonly (readonly string[])[] {
  const pipelines = splitCommands(line);
  return (
    pipelines?.map((commands) => executedInPipeline(commands.map(withoutKeywords))) ?? [[line]]
  );
}

/** The same for a script of the shell. */
export function executedInScript(text: string): readonly (readonly string[])[] {
  const lines = scriptLines(text, (name) => READERS.has(name) || CHECKERS.has(name));
  return lines?.flatMap(executedLines) ?? [[text]];
}

/** In `cat a.sh | sh` the second program executes what the first reads. */
function executedInPipeline(commands: readonly (readonly string[])[]): readonly string[] {
  const [only = []] = commands;
  if (commands.length === 1) return executedWords(only);
  const areReaders = commands.every(([program = '']) => READERS.has(programName(program)));
  return areReaders ? commands.flatMap(executedWords) : commands.flat();
}

/** Whether an interpreter only checks the syntax of a file: `node --check a.js`, `bash -n a.sh`. */
export function readsOnly(name: string, args: readonly string[]): boolean {
  const script = args.findIndex(
    (arg, index) => !arg.startsWith('-') && !NODE_LOADS.test(args[index - 1] ?? ''),
  );
  const flags = script < 0 ? args : args.slice(0, script);
  if (NODE.has(name)) return flags.includes('--check') || flags.includes('-c');
  if (SHELLS.has(name)) return flags.includes('-n') && !flags.some((arg) => /^-[a-z]*c$/.test(arg));
  if (name === 'ruby') return flags.includes('-c');
  return name === 'php' && flags.includes('-l');
}

/** Whether a module that Python starts only reads the files that are named to it. */
export function isReadingModule(module: string): boolean {
  return CHECKING_MODULES.has(module);
}

/** The words that may be the value of a flag. With `loads`, only the values of these flags. */
function valuesOfFlags(args: readonly string[], loads?: RegExp): readonly string[] {
  return args.filter((arg, index) => {
    if (arg.startsWith('-')) return arg.includes('=');
    const before = args[index - 1] ?? '';
    if (loads !== undefined) return loads.test(before);
    return before.startsWith('-') && !before.includes('=') && !PLAIN_FLAGS.has(before);
  });
}

/** The name of a program that is installed. One that is part of the project has none. */
function programName(program: string): string {
  const isInstalled =
    !program.includes('/') ||
    program.startsWith('/') ||
    /^(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin)\/[^/]+$/.test(program);
  return isInstalled ? posix.basename(program) : '';
}

/** The command that `npx`, `uv run`, `env A=1` or `timeout 5m` starts. */
function withoutWrappers(command: readonly string[]): readonly string[] {
  for (let at = 0; ;) {
    const inside = insideWrapper(command, at);
    if (inside === at) return command.slice(at);
    at = inside;
  }
}

/** Where the command begins that the program at this place starts. The same place: it starts no other. */
function insideWrapper(command: readonly string[], at: number): number {
  const [program = '', first = ''] = [command[at], command[at + 1]];
  if (program === '!') return at + 1;
  if (/^(?:npx|pnpx|bunx)$/.test(program))
    return at + (/^(?:-y|--yes|--no-install|--no)$/.test(first) ? 2 : 1);
  if (/^(?:uv|poetry|pipenv|pdm|rye)$/.test(program) && first === 'run') return at + 2;
  if (/^(?:timeout|gtimeout)$/.test(program) && /^[\d.]+[smhd]?$/.test(first)) return at + 2;
  if (program !== 'env') return at;
  // A longer value may name a file that the program loads, such as NODE_OPTIONS=--require=./a.js.
  let next = at + 1;
  while (/^\w+=\w*$/.test(command[next] ?? '')) next += 1;
  return next < command.length ? next : at;
}
