/** Plans and performs the installation of a hook and its removal. A plan changes nothing, so that it can be shown first. */
import { dirname } from 'node:path';
import { Refusal } from '../base/errors.ts';
import { errnoWords } from '../host/files/errno.ts';
import { missingFolders, removeEmptyFolders, replaceText } from '../host/files/replace-text.ts';
import { readTextFile, removeFile } from '../host/files/read-text-file.ts';
import type { HookRecord } from './hook-records.ts';
import { readHookRecords, writeHookRecords } from './hook-records.ts';
import type { HookCli, HookTarget } from './hook-target.ts';
import { insertJson, removeJson } from './insert-json.ts';

const BYTES_MAX = 4_000_000;

export type HookChange = {
  readonly file: string;
  /** Null: the file does not exist. */
  readonly before: string | null;
  readonly after: string | null;
  /** What is on record if the change is made. Null: nothing. */
  readonly record: HookRecord | null;
  /** Folders that are empty after the removal, and that the installation had created. */
  readonly folders: readonly string[];
};

/** `before` and `after` are equal if it is installed already. */
export async function planInstall(
  home: string,
  cli: HookCli,
  target: HookTarget,
  { command, at }: { readonly command: string; readonly at: number },
): Promise<HookChange> {
  const { file } = target;
  const before = (await readSettings(file)) ?? null;
  const known = await findRecord(home, cli, file);
  const isThere = known !== undefined && before !== null && isInstalled(known, before);
  if (isThere && known.command === command)
    return { file, before, after: before, record: known, folders: [] };
  const clean = isThere ? withoutHook(known, target, before) : before;
  const created = known?.created ?? before === null;
  const folders = isThere ? known.folders : await missingFolders(dirname(file));
  const record = { cli, file, command, created, folders, at };
  if (target.kind === 'file') {
    if (clean !== null && !isThere) throw taken(file);
    return { file, before, after: target.text, record: { ...record, piece: null }, folders: [] };
  }
  const inserted = insertJson(clean ?? '{}\n', target.path, target.value);
  if (inserted === undefined) throw notJson(file, target.path);
  const { text, piece } = inserted;
  return { file, before, after: text, record: { ...record, piece }, folders: [] };
}

/** Undefined if nothing is on record. */
export async function planRemove(
  home: string,
  cli: HookCli,
  target: HookTarget,
): Promise<HookChange | undefined> {
  const { file } = target;
  const known = await findRecord(home, cli, file);
  if (known === undefined) return undefined;
  const before = (await readSettings(file)) ?? null;
  const after = before === null ? null : withoutHook(known, target, before);
  return { file, before, after, record: null, folders: known.folders };
}

/** The record is written before the settings when a hook is installed, and after them when it is removed. */
export async function performHookChange(
  home: string,
  cli: HookCli,
  { file, before, after, record, folders }: HookChange,
): Promise<void> {
  const others = (await readHookRecords(home)).filter(
    (one) => one.cli !== cli || one.file !== file,
  );
  if (record !== null) await writeHookRecords(home, [...others, record]);
  if (after === null) await removeFile(file);
  else if (after !== before) await replaceText(file, after);
  if (record !== null) return;
  if (after === null) await removeEmptyFolders(folders);
  await writeHookRecords(home, others);
}

/** Whether the hook is in the text of its file. */
export function isInstalled({ command, piece }: HookRecord, text: string): boolean {
  return text.includes(piece ?? JSON.stringify(command)) || text.includes(JSON.stringify(command));
}

/** Reads the file of a record. Null: it does not exist. */
export async function readSettings(file: string): Promise<string | undefined> {
  const text = await readTextFile(file, BYTES_MAX).catch((error: unknown) => {
    throw new Refusal({
      code: 'config.unreadable',
      message: `${file}: the file cannot be read: ${errnoWords(error)}`,
      hint: 'Make the file readable, or move it away.',
      details: { file },
    });
  });
  if (text === undefined || (text.length <= BYTES_MAX && !text.includes('\uFFFD'))) return text;
  throw new Refusal({
    code: 'config.unreadable',
    message: `${file} is not text of at most ${BYTES_MAX} bytes, so it is not changed.`,
    details: { file },
  });
}

async function findRecord(
  home: string,
  cli: HookCli,
  file: string,
): Promise<HookRecord | undefined> {
  return (await readHookRecords(home)).find((one) => one.cli === cli && one.file === file);
}

/** Null: nothing of the file is left that was there before. */
function withoutHook(known: HookRecord, target: HookTarget, text: string): string | null {
  if (target.kind === 'file' || known.piece === null) return null;
  if (!isInstalled(known, text)) return text;
  const rest = removeJson(text, known.piece, target.path, JSON.stringify(known.command));
  if (rest === undefined) throw notJson(known.file, target.path);
  return known.created && /^\s*\{\s*\}\s*$/.test(rest) ? null : rest;
}

function taken(file: string): Refusal {
  return new Refusal({
    code: 'usage.invalid',
    message: `${file} exists, and Supervisor has not written it.`,
    hint: 'Move it away, and try again.',
    details: { file },
  });
}

function notJson(file: string, path: readonly string[]): Refusal {
  return new Refusal({
    code: 'config.invalid',
    message: `${file} is not JSON with a list at ${path.join('.')}, so it is not changed.`,
    hint: 'Correct the file, and try again.',
    details: { file },
  });
}
