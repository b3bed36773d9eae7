/** The built files of the page, read once. A request names one of them or gets the page itself, never another path. */
import { readFile, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errnoCode } from '../../host/files/errno.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

type PageFile = { readonly content: Uint8Array<ArrayBuffer>; readonly type: string };

export class PageFiles {
  readonly #folder: string;
  #files: Promise<ReadonlyMap<string, PageFile>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Forgets what was read: the page may have been built since. */
  refresh(): void {
    this.#files = undefined;
  }

  async answer(path: string): Promise<Response> {
    this.#files ??= readFiles(this.#folder);
    const files = await this.#files;
    const file = files.get(path);
    if (file !== undefined) return fileAnswer(file, path.startsWith('/assets/'));
    if (path.startsWith('/assets/')) return new Response('Not found.\n', { status: 404 });
    const page = files.get('/index.html');
    return page === undefined ? notBuilt() : fileAnswer(page, false);
  }
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const content = new Uint8Array(await readFile(join(folder, name)));
    files.set(`/${name}`, { content, type });
  }
  return files;
}

/** The name of an asset contains a hash of its content, so a browser may keep it. */
function fileAnswer({ content, type }: PageFile, isAsset: boolean): Response {
  const kept = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new Response(content, { headers: { 'content-type': type, 'cache-control': kept } });
}

function notBuilt(): Response {
  const text = 'The page of the dashboard is not built. Run: supervisor dashboard\n';
  return new Response(text, { status: 503 });
}
