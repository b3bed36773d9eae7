/** Runners of tasks besides make: their files decide, and the lines in them are followed as far as they can be read. */
import { posix } from 'node:path';
import { isRecord, parseJson } from '../../base/json.ts';
import type { Trail, FollowPosition } from './followed.ts';
import { parentFolder, movedTo, upwards } from './followed.ts';
import type { FollowLine } from './follow-make.ts';
import { followText } from './follow-scripts.ts';
import { TASK_FILES } from '../definition/known-programs.ts';
import { UNKNOWN } from './shell-values.ts';

const FOLDER_FLAG = /^(?:-d|--dir|--working-directory|-C|--workdir|--root|-r|--rootdir|--cwd)$/;
const FILE_FLAG =
  /^(?:-f|--justfile|--taskfile|-t|--rakefile|-c|--conf|--noxfile|--gulpfile|--gruntfile)$/;
/** Whose files are programs: what they start can't be read. */
const PROGRAMS = new Set(['nox', 'inv', 'invoke', 'doit', 'mage', 'gulp', 'grunt', 'jake']);

export function followTasks(
  trail: Trail,
  name: string,
  args: readonly string[],
  where: FollowPosition,
  followLine: FollowLine,
): void {
  let at = where;
  const files: string[] = [];
  for (const [index, arg] of args.entries()) {
    const [flag = '', value] = arg.split(/=(.*)/s);
    if (FOLDER_FLAG.test(flag)) at = movedTo(trail, at, value ?? args[index + 1]);
    if (FILE_FLAG.test(flag)) files.push(value ?? args[index + 1] ?? '');
  }
  const paths = [
    ...files.flatMap((file) => trail.paths(file, at)),
    ...(TASK_FILES[name] ?? []).flatMap((file) => upwards(at.folders, file)),
  ];
  for (const path of paths) readTasks(trail, name, path, at, followLine);
  if (name === 'rake')
    for (const path of trail.base.keys())
      if (/(?:^|\/)(?:rakelib|tasks)\/(?:[^/]+\/)*[^/]+\.rake$/.test(path))
        readTasks(trail, name, path, at, followLine);
  if (PROGRAMS.has(name))
    trail.addNotFollowed(`it starts tasks of ${name}, which are a program and are not followed`);
}

function readTasks(
  trail: Trail,
  name: string,
  path: string,
  where: FollowPosition,
  followLine: FollowLine,
): void {
  trail.strict.add(path);
  const text = trail.base.has(path) ? trail.text(path) : undefined;
  if (text === undefined || !trail.markVisited(`tasks ${path}`)) return;
  const there = { ...where, folders: [parentFolder(path)] };
  const lines =
    name === 'just'
      ? justLines(trail, path, text)
      : name === 'task'
        ? taskLines(text)
        : name === 'rake'
          ? rakeLines(trail, path, text)
          : toxLines(text);
  for (const line of lines)
    followLine(trail, line.replaceAll(/\{\{.*?\}\}|\{[\w:.]+\}/g, UNKNOWN), there);
  for (const other of included(name, text)) {
    const found = posix.join(parentFolder(path), other);
    for (const file of [
      found,
      `${found}.just`,
      `${found}/mod.just`,
      `${found}/Taskfile.yml`,
      `${found}/Taskfile.yaml`,
    ])
      readTasks(trail, name, file, where, followLine);
  }
}

function justLines(trail: Trail, path: string, text: string): readonly string[] {
  if (/^set\s+(?:shell|script-interpreter|dotenv-(?:path|filename))\b/m.test(text))
    trail.addNotFollowed(`${path} has settings that are not followed`);
  const computed = [...text.matchAll(/^[ \t]*(?:export[ \t]+)?[\w-]+[ \t]*:=.*?`([^`]+)`/gm)];
  const recipes = text
    .split('\n')
    .filter((line) => /^[ \t]+\S/.test(line))
    .map((line) => line.trim().replace(/^[@-]+/, ''))
    .filter((line) => !line.startsWith('#'));
  return [...computed.map(([, line = '']) => line), ...recipes];
}

/** Commands of a Taskfile, those in blocks of lines included. */
function taskLines(text: string): readonly string[] {
  return yamlValues(text, /^(?:-|cmds?:|sh:|- (?:cmd|sh|defer):)$/).filter(
    (line) => line !== '' && !/^(?:task|ref|for|vars|platforms|silent|\w+):(?:\s|$)/.test(line),
  );
}

/** Hooks of pre-commit that the project keeps itself. */
export function hookLines(text: string): readonly string[] {
  return yamlValues(text, /^(?:- )?entry:$/);
}

/** The values behind such keys, or of items of a list where the key is a dash; a block is one value. */
function yamlValues(text: string, pattern: RegExp): readonly string[] {
  const values: string[] = [];
  const lines = text.split(/\r?\n/);
  for (const [index, line] of lines.entries()) {
    const [, indent = '', key = '', rest = ''] =
      /^(\s*)((?:-\s+)?[\w-]+:|-)(?:\s+(.*))?$/.exec(line) ?? [];
    const isItem = /^-\s+[\w-]+:$/.test(key) && !pattern.test(key.replace(/\s+/, ' '));
    // An item that is a command with a colon in it, as `- echo a: b`, is none with a key.
    const value = isItem ? line.trim().replace(/^-\s+/, '') : rest.trim();
    if (!pattern.test(isItem ? '-' : key.replace(/\s+/, ' '))) continue;
    if (!/^[|>][-+\d]*\s*(?:#.*)?$/.test(value)) {
      values.push(value.replace(/^(['"])(.*)\1$/s, '$2').replace(/^\[|\]$/g, ''));
      continue;
    }
    const end = lines.findIndex(
      (one, at) => at > index && one.trim() !== '' && !/^\s+/.test(one.slice(indent.length)),
    );
    const block = lines.slice(index + 1, end < 0 ? undefined : end);
    values.push(block.map((one) => one.trim()).join(value.startsWith('>') ? ' ' : '\n'));
  }
  return values;
}

function toxLines(text: string): readonly string[] {
  const lines: string[] = [];
  let isOpen = false;
  for (const line of text.split('\n')) {
    const [, first] =
      /^(?:commands|commands_pre|commands_post|allowlist_externals)\s*=\s*(.*)$/.exec(line) ?? [];
    if (first !== undefined) {
      isOpen = !line.startsWith('allowlist');
      if (isOpen && first !== '') lines.push(first);
    } else if (isOpen && /^\s+\S/.test(line)) lines.push(line.trim().replace(/^[-!]\s*/, ''));
    else if (/^\S/.test(line)) isOpen = false;
  }
  return lines;
}

/** Rake files are programs. What they start with plain words is followed, and anything else leaves it open. */
function rakeLines(trail: Trail, path: string, text: string): readonly string[] {
  const code = text.replaceAll(/^[ \t]*#.*$/gm, '');
  const calls = [...code.matchAll(/\b(?:sh|system|exec|spawn|ruby)[\s(]+(['"])((?:(?!\1).)*)\1/g)];
  const others =
    code.match(
      /\b(?:sh|system|exec|spawn|ruby)(?:[\s(]+(?!['"])\S|\s*$)|`|%x\b|\bOpen3\b|\bIO\.popen\b|\beval\b|\b(?:instance|class|module)_eval\b|\bload\b(?!\s*['"(])|\bRake::FileList\b.*\.each/gm,
    )?.length ?? 0;
  if (others > 0) trail.addNotFollowed(`${path} computes what it starts when rake runs`);
  followText(trail, path, text);
  return calls.map(([call, , line = '']) => {
    const plain = line.replaceAll(/#\{[^}]*\}/g, UNKNOWN);
    return call.startsWith('ruby') ? `ruby ${plain}` : plain;
  });
}

function included(name: string, text: string): readonly string[] {
  if (name === 'just')
    return [
      ...text.matchAll(
        /^[ \t]*(?:import\??\s+['"]([^'"]+)['"]|mod\??\s+(\w+)(?:\s+['"]([^'"]+)['"])?)/gm,
      ),
    ].map(([, file, module, at]) => file ?? at ?? module ?? '');
  if (name !== 'task') return [];
  const [, block = ''] = /^includes:\s*\n((?:[ \t]+.*\n?)*)/m.exec(text) ?? [];
  return [...block.matchAll(/(?:taskfile:\s*|^\s+[\w-]+:\s*)['"]?([./\w-]+)['"]?\s*$/gm)].map(
    ([, file = '']) => file,
  );
}

/** Scripts of composer.json, as `composer test` would start them; an installation has several of its own. */
export function composerLines(text: string, script: string): readonly string[] {
  const found = parseJson(text);
  const scripts = isRecord(found) && isRecord(found['scripts']) ? found['scripts'] : {};
  const isInstall = /^(?:install|update|i|u|require|dump-autoload)$/.test(script);
  return Object.entries(scripts)
    .filter(([name]) => name === script || (isInstall && /^(?:pre|post)-/.test(name)))
    .flatMap(([, lines]) => [lines].flat())
    .filter((line) => typeof line === 'string');
}
