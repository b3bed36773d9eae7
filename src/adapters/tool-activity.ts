/**
 * What a call of a tool is about to do outside of the conversation, as far as its arguments say so. It is
 * for those who watch: what keeps an agent from doing it is the sandbox, and who wants to hide it can.
 */
import { posix } from 'node:path';
import { isRecord } from '../base/json.ts';
import { shellWords } from '../base/shell-words.ts';
import type { Activity } from '../protocol/activity.ts';

/** In all CLIs that we know, a tool that changes a file has one of these words in its name. */
const WRITES = /write|edit|patch|create|replace|delete|remove|rename|move|notebook/i;
const RUNS = /bash|shell|exec|command|terminal/i;
const PATH_KEYS = ['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'new_path'];
const COMMAND_KEYS = ['command', 'cmd', 'script'];
const URL_KEYS = ['url', 'uri'];
/** Programs that only start another one, and shells that are given a line. */
const WRAPPERS = new Set(['env', 'timeout', 'nice', 'nohup', 'time', 'stdbuf', 'exec', 'sudo']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const DEEDS_MAX = 20;
const WORDS_MAX = 20;
const CHARS_MAX = 1000;
const LINE_CHARS_MAX = 20_000;
const DEPTH_MAX = 4;

/** Paths are as the agent wrote them. */
export function toolActivity(tool: string, input: unknown): readonly Activity[] {
  const fields = isRecord(input) ? input : {};
  const runs = commandsIn(tool, input, fields);
  const deeds: Activity[] = [
    ...(WRITES.test(tool) ? pathsIn(input, fields).map(write) : []),
    ...runs.flatMap(({ argv, writes }): Activity[] => [
      { kind: 'command', argv: argv.slice(0, WORDS_MAX).map(short) },
      ...writes.map(write),
    ]),
    ...texts(fields, URL_KEYS).flatMap(hostsIn).map(connect),
    ...runs.flatMap(({ argv }) => argv.flatMap(hostsIn)).map(connect),
  ];
  return deeds.slice(0, DEEDS_MAX);
}

/** A file, a list of changes each of which has one, or a patch that names them. */
function pathsIn(input: unknown, fields: Readonly<Record<string, unknown>>): readonly string[] {
  const changes = Array.isArray(input) ? input.filter(isRecord) : [];
  const patch =
    typeof input === 'string' ? [input] : texts(fields, ['patch', 'patchText', 'input']);
  return [
    ...texts(fields, PATH_KEYS),
    ...changes.flatMap((change) => texts(change, PATH_KEYS)),
    ...patch.flatMap((text) =>
      [...text.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm)].map(
        ([, path = '']) => path.trim(),
      ),
    ),
  ];
}

type Run = { readonly argv: readonly string[]; readonly writes: readonly string[] };

function commandsIn(
  tool: string,
  input: unknown,
  fields: Readonly<Record<string, unknown>>,
): readonly Run[] {
  const lines =
    typeof input === 'string' && RUNS.test(tool) ? [input] : texts(fields, COMMAND_KEYS);
  const lists = COMMAND_KEYS.flatMap((key) => {
    const value = fields[key];
    return Array.isArray(value) && value.every((word) => typeof word === 'string') ? [value] : [];
  });
  return [
    ...lines.flatMap((line) => runsOf(line, 0)),
    ...lists.flatMap((argv: string[]) => unwrapped(argv, 0)),
  ];
}

/** The simple commands of a line for a shell, as far as they can be read without being one. */
function runsOf(line: string, depth: number): readonly Run[] {
  return partsOf(line.slice(0, LINE_CHARS_MAX)).flatMap((part) =>
    unwrapped(shellWords(part) ?? part.split(/\s+/), depth),
  );
}

/** Cut where a shell ends a command, but not within quotes. */
function partsOf(line: string): readonly string[] {
  const parts = line.match(/(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|>&|&>|[^\n;&|(){}`])+/gs) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '' && part !== '$');
}

/** What a wrapper starts in its turn, and the line that a shell is given. */
function unwrapped(words: readonly string[], depth: number): readonly Run[] {
  const begin = words.findIndex((word) => !/^\w+=|^!$|^(?:if|then|else|do|while)$/.test(word));
  const { argv, writes } = withoutRedirects(begin < 0 ? [] : words.slice(begin));
  const [program, ...args] = argv;
  if (program === undefined) return writes.length === 0 ? [] : [{ argv: [], writes }];
  const own: Run = { argv, writes };
  if (depth >= DEPTH_MAX) return [own];
  const name = posix.basename(program);
  if (WRAPPERS.has(name)) {
    const at = args.findIndex((arg) => !/^-|^[\d.]+[smhd]?$|^\w+=/.test(arg));
    return [own, ...(at < 0 ? [] : unwrapped(args.slice(at), depth + 1))];
  }
  const line = SHELLS.has(name) ? args.findIndex((arg) => /^-[a-z]*c$/.test(arg)) : -1;
  return [own, ...(line < 0 ? [] : runsOf(args[line + 1] ?? '', depth + 1))];
}

/** `> file` and `>>file` write to it. */
function withoutRedirects(words: readonly string[]): Run {
  const argv: string[] = [];
  const writes: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [, rest] = /^(?:\d|&)?>>?\|?(.*)$/s.exec(word) ?? [];
    if (rest === undefined) argv.push(word);
    else if (rest === '') writes.push(words[(at += 1)] ?? '');
    else if (!rest.startsWith('&')) writes.push(rest);
  }
  return { argv, writes: writes.filter((path) => path !== '' && !path.startsWith('/dev/')) };
}

function hostsIn(word: string): readonly string[] {
  return [...word.matchAll(/\bhttps?:\/\/(?:[^\s/@]*@)?([\w.-]+)/gi)].map(([, host = '']) => host);
}

function texts(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = fields[key];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
}

function short(word: string): string {
  return word.slice(0, CHARS_MAX);
}

function write(path: string): Activity {
  return { kind: 'write', path: short(path) };
}

function connect(host: string): Activity {
  return { kind: 'connect', host: short(host) };
}
