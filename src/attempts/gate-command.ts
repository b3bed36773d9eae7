/**
 * Which files of a project a command starts, as far as that can be read without running it: the program
 * itself, the script of an interpreter, the tasks of make or npm, and what those start in their turn.
 */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../base/json.ts';
import { shellWords } from '../base/shell-words.ts';

/** Programs that only start another one. */
const WRAPPERS = new Set(['env', 'timeout', 'nice', 'nohup', 'time', 'stdbuf', 'xvfb-run', 'exec']);
const MAKES = new Set(['make', 'gmake']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const LANGUAGES = new Set(['node', 'deno', 'bun', 'tsx', 'ruby', 'perl', 'php', 'lua', 'Rscript']);
const PACKAGE_RUNNERS = new Set(['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx', 'corepack']);
/** Each reads its tasks from files of these names, in the folder where it is started or above. */
const TASK_FILES: Readonly<Record<string, readonly string[]>> = {
  make: ['GNUmakefile', 'makefile', 'Makefile'],
  gmake: ['GNUmakefile', 'makefile', 'Makefile'],
  just: ['justfile', 'Justfile', '.justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
  rake: ['Rakefile', 'rakefile'],
  tox: ['tox.ini'],
  nox: ['noxfile.py'],
  cargo: ['.cargo/config.toml', '.cargo/config'],
};

/** What is started, by its path in the tree. */
export type Started = {
  /** They decide even where they are new. */
  readonly strict: ReadonlySet<string>;
  /** They decide where they are not new: what the work itself brings is the work. */
  readonly script: ReadonlySet<string>;
  /** Each `package.json` that a package manager would begin with. */
  readonly packages: ReadonlySet<string>;
};

const NOTHING: Started = { strict: new Set(), script: new Set(), packages: new Set() };
const DEPTH_MAX = 5;

/** The files that say what a task is, such as `package.json`, by their path; as they were before the work. */
export type TaskTexts = ReadonlyMap<string, string>;

/** Where a command that is started in the folder `inside` would look for its tasks. */
export function taskPaths(inside: string): readonly string[] {
  const names = ['package.json', ...new Set(Object.values(TASK_FILES).flat())];
  return names.flatMap((name) => upwards(inside, name));
}

export function filesOf(
  command: readonly string[],
  inside: string,
  texts: TaskTexts,
  depth = 0,
): Started {
  const [program, ...args] = command;
  if (program === undefined || depth > DEPTH_MAX) return NOTHING;
  const name = posix.basename(program);
  if (WRAPPERS.has(name)) {
    const at = args.findIndex((arg) => !/^-|^[\d.]+[smhd]?$|^\w+=/.test(arg));
    return at < 0 ? NOTHING : filesOf(args.slice(at), inside, texts, depth + 1);
  }
  const own = program.includes('/') ? pathsOf([program], inside) : [];
  const tasks = (TASK_FILES[name] ?? []).flatMap((file) => upwards(inside, file));
  const given = settingsOf(name, args);
  if (SHELLS.has(name)) {
    const at = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
    if (at >= 0) return ofLines([args[at + 1] ?? ''], inside, texts, depth);
    return { ...NOTHING, strict: new Set([...own, ...pathsOf(firstWord(args), inside)]) };
  }
  const scripts = LANGUAGES.has(name) || /^(?:python|pypy)[\d.]*$/.test(name) ? args : [];
  const isPackages = PACKAGE_RUNNERS.has(name);
  const started: Started = {
    strict: new Set([...own, ...tasks, ...pathsOf(name in TASK_FILES ? given : [], inside)]),
    script: new Set([...pathsOf(scripts, inside), ...pathsOf(given, inside)]),
    packages: new Set(isPackages ? upwards(inside, 'package.json') : []),
  };
  if (isPackages) return merged([started, ofPackage(args, inside, texts, depth)]);
  const makefile = MAKES.has(name) ? [...given, ...(TASK_FILES[name] ?? [])] : [];
  const text = pathsOf(makefile, inside).flatMap((path) => texts.get(path) ?? [])[0];
  if (text === undefined) return started;
  const targets = args.filter((arg) => !/^-|=/.test(arg) && !given.includes(arg));
  return merged([started, ofLines(recipesOf(text, targets), inside, texts, depth)]);
}

function ofLines(
  lines: readonly string[],
  inside: string,
  texts: TaskTexts,
  depth: number,
): Started {
  return merged(lines.flatMap(inlineCommands).map((one) => filesOf(one, inside, texts, depth + 1)));
}

/** What the script of a package starts: `npm test`, `yarn lint`, `pnpm run check`. */
function ofPackage(
  args: readonly string[],
  inside: string,
  texts: TaskTexts,
  depth: number,
): Started {
  const [verb = '', next = ''] = args.filter((arg) => !arg.startsWith('-'));
  const isRun = verb === 'run' || verb === 'run-script';
  const script = isRun ? next : verb === 't' || verb === 'tst' ? 'test' : verb;
  // The nearest one is it.
  const path = upwards(inside, 'package.json').findLast((one) => texts.has(one)) ?? '';
  const found = parseJson(texts.get(path) ?? '');
  const scripts = isRecord(found) && isRecord(found['scripts']) ? found['scripts'] : {};
  const lines = [`pre${script}`, script, `post${script}`].flatMap((one) => {
    const line = Object.hasOwn(scripts, one) ? scripts[one] : undefined;
    return typeof line === 'string' ? [line] : [];
  });
  const folder = posix.dirname(path);
  return ofLines(lines, folder === '.' ? '' : folder, texts, depth);
}

const TARGETS_MAX = 100;

/** The lines of these targets, or of the first one, and of what they depend on. */
function recipesOf(text: string, targets: readonly string[]): readonly string[] {
  const rules = new Map<string, { readonly needs: readonly string[]; readonly lines: string[] }>();
  let open: { readonly lines: string[] }[] = [];
  let first: string | undefined;
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    if (line.startsWith('\t')) {
      for (const rule of open) rule.lines.push(line.replace(/^\t[@+-]*/, ''));
      continue;
    }
    const [, names = '', needs = ''] = /^([^\s#:=][^#:=]*):(?!=)([^#;]*)/.exec(line) ?? [];
    if (names === '') continue;
    open = words(names).map((name) => {
      if (!name.startsWith('.')) first ??= name;
      const rule = {
        needs: [...(rules.get(name)?.needs ?? []), ...words(needs)],
        lines: rules.get(name)?.lines ?? [],
      };
      rules.set(name, rule);
      return rule;
    });
  }
  const wanted = new Set(targets.length > 0 ? targets : [first ?? '']);
  // A set grows while it is walked, and each name is met once.
  for (const name of wanted)
    for (const need of rules.get(name)?.needs ?? [])
      if (wanted.size < TARGETS_MAX) wanted.add(need);
  return [...wanted].flatMap((name) => rules.get(name)?.lines ?? []);
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

/** The files that flags name: `make -f check.mk`, `jest --config=jest.ci.js`. */
function settingsOf(name: string, args: readonly string[]): readonly string[] {
  if (name === 'test' || name === '[') return []; // its -f asks whether there is such a file
  return args.flatMap((arg, index) => {
    const [, flag = '', value] =
      /^(-f|-c|-p|--\w*(?:file|config|rcfile|project))(?:=(.*))?$/s.exec(arg) ?? [];
    return flag === '' ? [] : [value ?? args[index + 1] ?? ''];
  });
}

function merged(all: readonly Started[]): Started {
  return {
    strict: new Set(all.flatMap(({ strict }) => [...strict])),
    script: new Set(all.flatMap(({ script }) => [...script])),
    packages: new Set(all.flatMap(({ packages }) => [...packages])),
  };
}

/** The simple commands of a line for a shell, as far as they can be read without being one. */
function inlineCommands(text: string): readonly (readonly string[])[] {
  return text
    .split(/\n|;|&&?|\|\|?|[(){}]|\$\(|`/)
    .map((part) => shellWords(part.trim()) ?? part.trim().split(/\s+/))
    .map((words) =>
      words.slice(
        Math.max(
          0,
          words.findIndex((word) => !/^\w+=|^!$|^(?:if|then|else|do|while)$/.test(word)),
        ),
      ),
    )
    .filter((words) => words.length > 0);
}

function firstWord(args: readonly string[]): readonly string[] {
  const word = args.find((arg) => !arg.startsWith('-'));
  return word === undefined ? [] : [word];
}

/** Words as paths of the tree, if they are any. */
function pathsOf(words: readonly string[], inside: string): readonly string[] {
  return words
    .filter((word) => word !== '' && !word.startsWith('-') && !word.startsWith('/'))
    .map((word) => posix.join(inside, word))
    .filter((path) => path !== '.' && !path.startsWith('../'));
}

/** A file of that name here and in each folder above. */
function upwards(inside: string, file: string): readonly string[] {
  const steps = inside === '' ? [] : inside.split('/');
  return [...steps.keys(), steps.length].map((depth) => posix.join(...steps.slice(0, depth), file));
}
