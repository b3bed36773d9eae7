/** Packs of roles for tests: as archives, in repositories, and in a registry on this machine. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

export type PackEntry = Parameters<typeof packTar>[0][number];

export const ROLE = `extends: reviewer
description: Looks for keys in the code.
gates:
  - {name: keys, command: grep -rn KEY src, on_fail: warn}
`;

export function manifest(more = '', { name = 'keys-pack', version = '1.0.0' } = {}): string {
  return `name: ${name}\nversion: ${version}\nauthor: Ada\n${more}`;
}

/** What a whole pack has. */
export const PACK: Readonly<Record<string, string>> = {
  'pack.yaml': manifest(),
  'roles/key_finder.yaml': ROLE,
};

export function file(path: string, text: string | Uint8Array): PackEntry {
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return { header: { name: path, size: body.length, type: 'file', mode: 0o644 }, body };
}

export function entriesOf(files: Readonly<Record<string, string>>): readonly PackEntry[] {
  return Object.entries(files).map(([path, text]) => file(`package/${path}`, text));
}

export async function tarball(entries: readonly PackEntry[]): Promise<Buffer> {
  return gzipSync(await packTar(entries));
}

export type PackRegistry = AsyncDisposable & {
  readonly url: string;
  /** By `name@version`. A published archive can be replaced, as an attacker would. */
  readonly archives: Map<string, Buffer>;
  /** The hash that the registry names, if it is not that of the archive. */
  readonly claims: Map<string, string>;
};

export async function startPackRegistry(): Promise<PackRegistry> {
  const archives = new Map<string, Buffer>();
  const claims = new Map<string, string>();
  const server = createServer((request, response) => {
    const path =
      decodeURIComponent(request.url ?? '')
        .slice(1)
        .split('?')[0] ?? '';
    const archive = archives.get(path.replace(/^files\//, ''));
    if (archive !== undefined) return void response.end(archive);
    const versions = [...archives.keys()].filter((key) => key.startsWith(`${path}@`));
    if (versions.length === 0) return void response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({
        name: path,
        'dist-tags': { latest: versions.at(-1)?.slice(path.length + 1) },
        versions: Object.fromEntries(
          versions.map((key) => [key.slice(path.length + 1), about(key)]),
        ),
      }),
    );
  });
  const about = (key: string): object => {
    const archive = archives.get(key) ?? Buffer.alloc(0);
    const hash = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
    const at = key.lastIndexOf('@');
    return {
      ...{ name: key.slice(0, at), version: key.slice(at + 1) },
      dist: { tarball: `${url()}/files/${key}`, integrity: claims.get(key) ?? hash },
    };
  };
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    ...{ url: url(), archives, claims },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
