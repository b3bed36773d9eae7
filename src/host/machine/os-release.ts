import { readSmallFile } from '../files/read-text-file.ts';

export type OsRelease = {
  /** For example `debian`. */
  readonly id: string;
  /** The distributions that it descends from, nearest first: `ubuntu debian`. */
  readonly like: readonly string[];
  readonly name: string;
};

/** The distribution of a Linux system. Undefined if it does not name one. */
export async function readOsRelease(path = '/etc/os-release'): Promise<OsRelease | undefined> {
  const file = await readSmallFile(path, 16_384);
  return file.kind === 'text' ? parseOsRelease(file.text) : undefined;
}

/** The format is shell assignments, with or without quotes (os-release(5)). */
export function parseOsRelease(text: string): OsRelease | undefined {
  const values = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, key, value] = /^([A-Z_]+)=(.*)$/.exec(line.trim()) ?? [];
    if (key !== undefined && value !== undefined) values.set(key, unquote(value));
  }
  const id = values.get('ID');
  if (id === undefined || id === '') return undefined;
  const like = (values.get('ID_LIKE') ?? '').split(/\s+/).filter((name) => name !== '');
  return { id, like, name: values.get('PRETTY_NAME') ?? id };
}

function unquote(value: string): string {
  const [, , inside] = /^(["'])(.*)\1$/.exec(value) ?? [];
  return (inside ?? value).replaceAll(/\\(.)/g, '$1');
}
