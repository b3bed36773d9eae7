/** What a tool call is about, in a few words: the command that it runs, or the files that it names. */
import { isRecord } from '../base/json.ts';
import { describeCommand, lineOfShell, shellWords } from '../base/shell-words.ts';
import { oneLine } from '../base/text.ts';
import { COMMAND_KEYS, findPaths, texts } from './tool-fields.ts';

/** Undefined if the call has neither a command nor a file. */
export function toolSubject(input: unknown): string | undefined {
  const fields = isRecord(input) ? input : {};
  const paths = [...new Set(findPaths(input, fields))];
  const [line] =
    typeof input === 'string' && paths.length === 0 ? [input] : texts(fields, COMMAND_KEYS);
  if (line !== undefined) return oneLine(lineOfShell(shellWords(line) ?? []) ?? line);
  const words = COMMAND_KEYS.map((key) => fields[key]).find(isWordList);
  if (words !== undefined) return oneLine(describeCommand(words));
  return paths.length === 0 ? undefined : paths.map(oneLine).join(', ');
}

function isWordList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
