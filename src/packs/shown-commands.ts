/** What the files of a pack would make Supervisor run, for the person who decides whether to install it. */
import { readYamlFile } from '../yaml/read-yaml-file.ts';
import { toValue } from '../yaml/yaml-tree.ts';
import { isRecord } from '../base/json.ts';
import type { PackTexts } from './read-archive.ts';

export type ShownCommand = {
  readonly file: string;
  /** The path of the key, such as `gates.0.command`. */
  readonly key: string;
  readonly text: string;
};

/** A key whose value starts a program, or is an argument of one. `cli` chooses the program of an agent. */
const KEYS: ReadonlySet<string> = new Set(['command', 'commands', 'run', 'flags', 'cli', 'prove']);

export function listCommands(texts: PackTexts): readonly ShownCommand[] {
  return [...texts].flatMap(([file, text]) => {
    if (!file.endsWith('.yaml') || file === 'pack.yaml') return [];
    const { tree } = readYamlFile(text, file);
    return find(toValue(tree), []).map(([key, value]) => ({ file, key, text: value }));
  });
}

function find(value: unknown, path: readonly string[]): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((one, nth) => find(one, [...path, String(nth)]));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, inside]) => {
    const own = [...path, key];
    if (!KEYS.has(key) || isRecord(inside)) return find(inside, own);
    const words = Array.isArray(inside) ? inside.map(toText) : [toText(inside)];
    return words.length === 0 ? [] : [[own.join('.'), words.join(' ')] as const];
  });
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
