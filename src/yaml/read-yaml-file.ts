/** Reads YAML that may have been read before. A submission reads the same few files of roles and workflows each time. */
import type { Reading } from './read-yaml.ts';
import { readYaml } from './read-yaml.ts';

/** More than the roles, workflows and strategies of one project. */
const READINGS_MAX = 200;
/** A longer text is read again: it would take the memory of many others. */
const CHARS_MAX = 20_000;

type Known = { readonly text: string; readonly reading: Reading };

/** By file, the one that was used last at the end. The text decides whether it still holds. */
const known = new Map<string, Known>();

/** Trees are never changed, so all readers share one. */
export function readYamlFile(text: string, file: string): Reading {
  const before = known.get(file);
  known.delete(file);
  const reading =
    before?.text === text
      ? before.reading
      : readYaml(text, (line, column) => ({ file, line, column }));
  if (text.length > CHARS_MAX) return reading;
  known.set(file, { text, reading });
  const [oldest] = known.keys();
  if (known.size > READINGS_MAX && oldest !== undefined) known.delete(oldest);
  return reading;
}
