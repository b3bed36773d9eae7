/** Where the tool calls of the supported CLIs have their commands and files. */
import { isRecord } from '../base/json.ts';

type Fields = Readonly<Record<string, unknown>>;

const PATH_KEYS = [
  ...['file_path', 'filePath', 'path', 'notebook_path', 'absolute_path', 'new_path'],
  ...['target_file', 'relative_path', 'filename'],
];
export const COMMAND_KEYS = ['command', 'cmd', 'script'];
/**
 * Of a longer command, only the beginning says what it is about. An agent writes it, and many patterns look for two words
 * anywhere in it, which takes the square of its length.
 */
export const COMMAND_CHARS_MAX = 4000;

/** A file, a list of changes with one file each, or a patch that names its files. */
export function findPaths(input: unknown, fields: Fields): readonly string[] {
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

export function texts(fields: Fields, keys: readonly string[]): string[] {
  return keys.flatMap((key) => {
    const value = fields[key];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
}

/** The text editor of some agents is one tool for everything. Its command is no command of a shell. */
const EDITOR_COMMANDS = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit']);

export function editorCommand(fields: Fields): string | undefined {
  const { command } = fields;
  const isEditor = typeof command === 'string' && EDITOR_COMMANDS.has(command);
  return isEditor && texts(fields, PATH_KEYS).length > 0 ? command : undefined;
}
