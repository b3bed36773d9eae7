/** What a tool call is about, in a few words: the command that it runs, the files that it names, or what it asks for. */
import { isRecord } from '../base/json.ts';
import { describeCommand, lineOfShell, shellWords } from '../base/shell-words.ts';
import { oneLine } from '../base/text.ts';
import { COMMAND_CHARS_MAX, COMMAND_KEYS, editorCommand, findPaths, texts } from './tool-fields.ts';

/** Undefined if the call has no command, no file and no query. */
export function toolSubject(input: unknown): string | undefined {
  return wholeSubject(input)?.slice(0, COMMAND_CHARS_MAX);
}

function wholeSubject(input: unknown): string | undefined {
  const fields = isRecord(input) ? input : {};
  const paths = [...new Set(findPaths(input, fields))];
  const edits = editorCommand(fields);
  if (edits !== undefined) return oneLine([edits, ...paths].join(' '));
  const [line] =
    typeof input === 'string' && paths.length === 0 ? [input] : texts(fields, COMMAND_KEYS);
  if (line !== undefined) return oneLine(asOneLine(lineOfShell(shellWords(line) ?? []) ?? line));
  const words = COMMAND_KEYS.map((key) => fields[key]).find(isWordList);
  if (words !== undefined) return oneLine(describeCommand(words));
  const [query] = texts(fields, ['query']);
  if (paths.length === 0) return query === undefined ? undefined : oneLine(query);
  return paths.map(oneLine).join(', ');
}

/** A shell ends a command at the end of a line, but not inside quotes or a text that follows. */
function asOneLine(script: string): string {
  return /["'`\\]|<</.test(script) ? script : linesOf(script).join('; ');
}

function linesOf(script: string): readonly string[] {
  return script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function isWordList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
