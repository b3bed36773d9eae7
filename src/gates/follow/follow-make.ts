/** What a call of make starts: the recipes of its targets, and the makefiles that it includes. */
import { posix } from 'node:path';
import type { Trail, FollowPosition } from './followed.ts';
import { movedTo, shownPath } from './followed.ts';
import { TASK_FILES } from '../definition/known-programs.ts';
import { UNKNOWN } from './shell-values.ts';

export type FollowLine = (trail: Trail, line: string, where: FollowPosition) => void;

const TARGETS_MAX = 200;
const EXPANSIONS_MAX = 8;
/** Variables that make itself sets. */
const DEFAULTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ CC: 'cc', CXX: 'g++', CPP: 'cc -E', LD: 'ld', AR: 'ar', AS: 'as', RM: 'rm -f' }),
);

type Rule = { readonly needs: string[]; readonly lines: string[] };
type Makefile = {
  readonly vars: Map<string, string>;
  readonly rules: Map<string, Rule>;
  readonly phony: Set<string>;
  /** Makefiles that this call has read: one may include another that includes it. */
  readonly files: Set<string>;
  first: string | undefined;
};

export function followMake(
  trail: Trail,
  args: readonly string[],
  where: FollowPosition,
  followLine: FollowLine,
): void {
  let at = where;
  const files: string[] = [];
  const targets: string[] = [];
  const makefile: Makefile = {
    vars: new Map(),
    rules: new Map(),
    phony: new Set(),
    files: new Set(),
    first: undefined,
  };
  // A makefile is read again for each call, because each call may have other targets and variables.
  if (!trail.markVisited(`make ${where.folders.join(':')} ${args.join(' ')}`)) return;
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] ?? '';
    const [, long = '', value = ''] =
      /^--(directory|file|makefile|eval|include-dir)=(.*)$/s.exec(arg) ?? [];
    const [, short = '', joined = ''] = /^-([CfI])(.*)$/s.exec(arg) ?? [];
    const isValueNext =
      /^--(?:directory|file|makefile|include-dir)$/.test(arg) || (short !== '' && joined === '');
    const argument = long === '' ? (joined === '' ? (args[index + 1] ?? '') : joined) : value;
    if (short === 'C' || long === 'directory' || arg === '--directory')
      at = positionIn(trail, at, argument);
    else if (short === 'f' || /^(?:file|makefile)$/.test(long) || /^--(?:file|makefile)$/.test(arg))
      files.push(argument);
    else if (long === 'eval') trail.addNotFollowed('it gives make rules on its command line');
    else if (/^[\w.]+[:+?]?=/.test(arg))
      makefile.vars.set(arg.replace(/[:+?]?=.*$/s, ''), arg.replace(/^[^=]*=/s, ''));
    else if (!arg.startsWith('-')) targets.push(arg);
    if (isValueNext) index += 1;
  }
  const names = files.length > 0 ? files : (TASK_FILES['make'] ?? []);
  // Which one of them make takes depends on which are there, so none that is new may be.
  for (const name of TASK_FILES['make'] ?? [])
    for (const path of trail.paths(name, at)) trail.strict.add(path);
  for (const name of names)
    for (const path of trail.paths(name, at)) read(trail, path, makefile, at, followLine);
  for (const path of findNeededTargets(makefile, targets)) {
    const rule = makefile.rules.get(path);
    if (rule === undefined) continue;
    // A file with the name of a target keeps make from running its recipe.
    if (!makefile.phony.has(path))
      for (const hidden of trail.paths(path, at)) trail.strict.add(hidden);
    for (const line of rule.lines) followLine(trail, expanded(line, makefile), at);
  }
}

/** Unlike `cd`, make's flag can't be in a subshell; but a call may have several folders already. */
function positionIn(trail: Trail, where: FollowPosition, to: string): FollowPosition {
  const paths = trail.paths(to, where);
  return paths.length === 0 ? movedTo(trail, where, to) : { ...where, folders: paths };
}

function read(
  trail: Trail,
  path: string,
  makefile: Makefile,
  where: FollowPosition,
  followLine: FollowLine,
): void {
  trail.strict.add(path);
  const text = trail.base.has(path) ? trail.text(path) : undefined;
  if (text === undefined || makefile.files.has(path)) return;
  makefile.files.add(path);
  let open: Rule[] = [];
  for (const line of text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/)) {
    if (line.startsWith('\t')) {
      for (const rule of open) rule.lines.push(line.replace(/^\t\s*[@+-]*\s*/, ''));
      continue;
    }
    const [, include] = /^\s*[-s]?include\s+(.+)$/.exec(line.replace(/\s#.*$/, '')) ?? [];
    if (include !== undefined) {
      for (const word of splitWords(expanded(include, makefile)))
        includeFile(trail, word, makefile, where, path, followLine);
      continue;
    }
    const [, name = '', how = '', value = ''] =
      /^\s*(?:export\s+|override\s+|unexport\s+)*([\w.-]+)\s*([:?+!]{0,3}=)\s*(.*)$/.exec(line) ??
      [];
    if (name !== '') {
      assign(trail, makefile, name, how, value, where, followLine);
      continue;
    }
    if (/\$[({](?:eval|call|foreach|file|guile|load)\b/.test(line) || /^\s*define\b/.test(line))
      trail.addNotFollowed(`${path} computes its rules when make runs`);
    for (const [, command = ''] of line.matchAll(/\$\(shell\s+([^)]*)\)/g))
      followLine(trail, expanded(command, makefile), where);
    open = parseRule(line, makefile);
  }
}

function includeFile(
  trail: Trail,
  word: string,
  makefile: Makefile,
  where: FollowPosition,
  by: string,
  followLine: FollowLine,
): void {
  const paths = trail.paths(word, where);
  const isPattern = /[*?[]/.test(word);
  const isKnown = isPattern && !word.includes(UNKNOWN);
  if (paths.length === 0 && !isKnown && !word.startsWith('/'))
    trail.addNotFollowed(
      `${by} includes ${shownPath(word)}, whose place is computed when make runs`,
    );
  if (isPattern)
    for (const folder of where.folders)
      trail.strictPatterns.add(posix.join(folder, word.replaceAll(/\[[^\]]*\]/g, '?')));
  for (const path of paths) read(trail, path, makefile, where, followLine);
}

function assign(
  trail: Trail,
  makefile: Makefile,
  name: string,
  how: string,
  value: string,
  where: FollowPosition,
  followLine: FollowLine,
): void {
  const text = value.replace(/\s+#.*$/, '').trim();
  const before = makefile.vars.get(name);
  if (how === '?=' && before !== undefined) return;
  for (const [, command = ''] of text.matchAll(/\$\(shell\s+([^)]*)\)/g))
    followLine(trail, expanded(command, makefile), where);
  makefile.vars.set(name, how === '+=' && before !== undefined ? `${before} ${text}` : text);
  if (name === 'SHELL' || name === 'MAKEFILES')
    for (const path of splitWords(expanded(text, makefile)).flatMap((word) =>
      trail.paths(word, where),
    ))
      trail.strict.add(path);
}

function parseRule(line: string, makefile: Makefile): Rule[] {
  const [, names = '', rest = ''] = /^([^\s#:=][^#:=]*)::?(?!=)(.*)$/.exec(line) ?? [];
  if (names === '') return /^\s*(?:#|$)/.test(line) ? [] : [];
  const [needs = '', recipe] = rest.split(/;(.*)/s);
  return splitWords(expanded(names, makefile)).map((name) => {
    const known = makefile.rules.get(name) ?? { needs: [], lines: [] };
    known.needs.push(
      ...splitWords(expanded(needs.replace(/#.*$/, ''), makefile)).filter((one) => one !== '|'),
    );
    if (recipe !== undefined) known.lines.push(recipe.trim().replace(/^[@+-]+/, ''));
    if (name === '.PHONY') for (const need of known.needs) makefile.phony.add(need);
    else if (!name.startsWith('.')) makefile.first ??= name;
    makefile.rules.set(name, known);
    return known;
  });
}

/** The targets that are made, and what they need; all of them where one is not known by its name. */
function findNeededTargets(makefile: Makefile, targets: readonly string[]): readonly string[] {
  const start =
    targets.length > 0 ? targets : [makefile.vars.get('.DEFAULT_GOAL') ?? makefile.first ?? ''];
  const needed = new Set<string>();
  const queue = [...start];
  for (
    let name = queue.shift();
    name !== undefined && needed.size < TARGETS_MAX;
    name = queue.shift()
  ) {
    const one = name;
    if (needed.has(one)) continue;
    needed.add(one);
    const rule = makefile.rules.get(one);
    if (rule !== undefined) queue.push(...rule.needs);
    for (const pattern of makefile.rules.keys())
      if (pattern.includes('%') && matches(pattern, one)) queue.push(pattern);
    if (rule === undefined && start.includes(one)) queue.push(...makefile.rules.keys());
  }
  return [...needed];
}

function matches(pattern: string, name: string): boolean {
  const [head = '', tail = ''] = pattern.split('%');
  return name.length > head.length + tail.length && name.startsWith(head) && name.endsWith(tail);
}

/** Variables of make as far as they are known; what a function would say is not. */
function expanded(text: string, { vars }: Makefile): string {
  let line = text;
  for (let round = 0; round < EXPANSIONS_MAX && /\$[({]?[\w.@<^*?]/.test(line); round += 1)
    line = line
      .replaceAll(/\$\((?:CURDIR|PWD)\)|\$\{CURDIR\}/g, '.')
      .replaceAll(/\$[({]MAKE[)}]/g, 'make')
      .replaceAll(
        /\$[({](?:dir|abspath|realpath|strip|wildcard|lastword|firstword)\s+([^(){}]*)[)}]/g,
        '$1',
      )
      .replaceAll(
        /(?<!\$)\$[({]([\w.-]+)[)}]/g,
        (_, name: string) => vars.get(name) ?? DEFAULTS.get(name) ?? UNKNOWN,
      )
      .replaceAll(/(?<!\$)\$[@<^*?%]/g, UNKNOWN)
      .replaceAll(
        /(?<!\$)\$[({](?:shell|call|foreach|if|subst|patsubst|filter|or|and|addprefix|addsuffix|sort|word|words|basename|notdir|suffix|value|origin|eval|error|warning|info|file|join|findstring|filter-out|wordlist)\s[^(){}]*[)}]/g,
        UNKNOWN,
      );
  return line.replaceAll('$$', '$');
}

function splitWords(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
