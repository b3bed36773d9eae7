import type { FolderEntry } from '../host/files/read-folder.ts';

/** The readable content of an entry: a text, or the target of a link. Undefined for other entries and long files. */
export function entryText(entry: FolderEntry, bytesMax: number): string | undefined {
  if (entry.kind === 'link') return `→ ${entry.target}\n`;
  if (entry.kind !== 'file' || entry.bytes.length > bytesMax) return undefined;
  const text = Buffer.from(entry.bytes).toString('utf8');
  const isText = !text.includes('\0') && !text.includes('\uFFFD');
  return isText ? text : undefined;
}
