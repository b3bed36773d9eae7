/** What a tool call is about, in a few words: the command that it runs, the files that it names, or what it asks for. */
import { isRecord } from '../base/json.ts';
import { describeCommand, lineOfShell, shellWords } from '../base/shell-words.ts';
import { oneLine } from '../base/text.ts';
import { COMMAND_KEYS, editorCommand, findPaths, texts } from './tool-fields.ts';

/** Undefined if the call has no command, no file and no query. */
export function toolSubject(input: unknown): string | undefined {
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
  return /["'`\\]|<</.test(script) ? script : script.trim().replaceAll(/\s*\n\s*/g, '; ');
}

function isWordList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
