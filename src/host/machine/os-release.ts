import { readSmallFile } from '../files/small-file.ts';

export type OsRelease = {
  /** Such as `debian`. */
  readonly id: string;
  /** What it descends from, nearest first: `ubuntu debian`. */
  readonly like: readonly string[];
  readonly name: string;
};

/** What a Linux system says of itself, or undefined where it says nothing. */
export async function readOsRelease(path = '/etc/os-release'): Promise<OsRelease | undefined> {
  const file = await readSmallFile(path, 16_384);
  return file.kind === 'text' ? parseOsRelease(file.text) : undefined;
}

/** The text is in the form of shell assignments, with or without quotes (os-release(5)). */
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
