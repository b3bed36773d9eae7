/**
 * Derives the activity of a tool call from its arguments, for the monitors. It prevents nothing:
 * the sandbox does that, and an agent that wants to hide an activity can.
 */
import { posix } from 'node:path';
import { isRecord } from '../base/json.ts';
import { shellWords } from '../base/shell-words.ts';
import type { Activity } from '../protocol/activity.ts';
import { COMMAND_KEYS, editorCommand, findPaths, texts } from './tool-fields.ts';

/** In all supported CLIs, the name of a tool that changes a file contains one of these words. */
const WRITES = /write|edit|patch|create|replace|delete|remove|rename|move|notebook/i;
/** Tools that only show what another one has written: `NotebookRead`, `view_patch`. */
const SHOWS = /(?:^|[_.:-])(?:read|view)(?=$|[_.:-]|[A-Z])|(?:Read|View)(?![a-z])/;
const RUNS = /bash|shell|exec|command|terminal/i;
const URL_KEYS = ['url', 'uri'];
/** Programs that only start another program, and shells that execute a line. */
const WRAPPERS = new Set(['env', 'timeout', 'nice', 'nohup', 'time', 'stdbuf', 'exec', 'sudo']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh']);
const ACTIVITIES_MAX = 20;
const WORDS_MAX = 20;
const CHARS_MAX = 1000;
const LINE_CHARS_MAX = 20_000;
const DEPTH_MAX = 4;

export function changesFiles(tool: string): boolean {
  return WRITES.test(tool) && !SHOWS.test(tool);
}

/** Paths are as the agent wrote them. */
export function toolActivity(tool: string, input: unknown): readonly Activity[] {
  const fields = isRecord(input) ? input : {};
  const edits = editorCommand(fields);
  if (edits === 'view') return [];
  const runs = edits === undefined ? findCommands(tool, input, fields) : [];
  const activities: Activity[] = [
    ...(changesFiles(tool) ? findPaths(input, fields).map(write) : []),
    ...runs.flatMap(({ argv, writes }): Activity[] => [
      { kind: 'command', argv: argv.slice(0, WORDS_MAX).map(truncate) },
      ...writes.map(write),
    ]),
    ...texts(fields, URL_KEYS).flatMap(findHosts).map(connect),
    ...runs.flatMap(({ argv }) => argv.flatMap(findHosts)).map(connect),
  ];
  return activities.slice(0, ACTIVITIES_MAX);
}

type Run = { readonly argv: readonly string[]; readonly writes: readonly string[] };

function findCommands(
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
    ...lines.flatMap((line) => parseLine(line, 0)),
    ...lists.flatMap((argv: string[]) => unwrap(argv, 0)),
  ];
}

/** The simple commands of a shell line, as far as they can be read without a shell. */
function parseLine(line: string, depth: number): readonly Run[] {
  return splitCommands(line.slice(0, LINE_CHARS_MAX)).flatMap((part) =>
    unwrap(shellWords(part) ?? part.split(/\s+/), depth),
  );
}

/** Splits where a shell ends a command, but not inside quotes. */
function splitCommands(line: string): readonly string[] {
  const parts = line.match(/(?:\\.|'[^']*'|"(?:\\.|[^"\\])*"|>&|&>|[^\n;&|(){}`])+/gs) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '' && part !== '$');
}

/** The program that a wrapper starts, and the line that a shell executes. */
function unwrap(words: readonly string[], depth: number): readonly Run[] {
  const begin = words.findIndex((word) => !/^\w+=|^!$|^(?:if|then|else|do|while)$/.test(word));
  const { argv, writes } = withoutRedirects(begin < 0 ? [] : words.slice(begin));
  const [program, ...args] = argv;
  if (program === undefined) return writes.length === 0 ? [] : [{ argv: [], writes }];
  const outer: Run = { argv, writes };
  if (depth >= DEPTH_MAX) return [outer];
  const name = posix.basename(program);
  if (WRAPPERS.has(name)) {
    const at = args.findIndex((arg) => !/^-|^[\d.]+[smhd]?$|^\w+=/.test(arg));
    return [outer, ...(at < 0 ? [] : unwrap(args.slice(at), depth + 1))];
  }
  const line = SHELLS.has(name) ? args.findIndex((arg) => /^-[a-z]*c$/.test(arg)) : -1;
  return [outer, ...(line < 0 ? [] : parseLine(args[line + 1] ?? '', depth + 1))];
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

function findHosts(word: string): readonly string[] {
  return [...word.matchAll(/\bhttps?:\/\/(?:[^\s/@]*@)?([\w.-]+)/gi)].map(([, host = '']) => host);
}

function truncate(word: string): string {
  return word.slice(0, CHARS_MAX);
}

function write(path: string): Activity {
  return { kind: 'write', path: truncate(path) };
}

function connect(host: string): Activity {
  return { kind: 'connect', host: truncate(host) };
}
