import type { FolderEntry } from '../host/files/read-folder.ts';

/** What a person can read of an entry: a text, or where a link leads. Undefined for the rest, and for what is too long. */
export function entryText(entry: FolderEntry, bytesMax: number): string | undefined {
  if (entry.kind === 'link') return `→ ${entry.target}\n`;
  if (entry.kind !== 'file' || entry.bytes.length > bytesMax) return undefined;
  const text = Buffer.from(entry.bytes).toString('utf8');
  const isText = !text.includes('\0') && !text.includes('\uFFFD');
  return isText ? text : undefined;
}
