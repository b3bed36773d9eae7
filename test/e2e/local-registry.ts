/**
 * A package registry on this machine: one for npm, one for pip, over https, with a certificate that
 * only its user trusts.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { tempDir } from '../support/temp-dir.ts';

export type LocalRegistry = AsyncDisposable & {
  readonly port: number;
  readonly url: string;
  /** The file with its certificate. */
  readonly cafile: string;
  /** The requests, in order. */
  readonly asked: string[];
  /** The entry of `local-dep` for a lockfile of npm. */
  readonly lockEntry: (version: string) => object;
};

const VERSIONS = ['1.0.0', '2.0.0'];

/**
 * Its npm part has `local-dep`, which exports its version; its pip part has `local_tool`, which is
 * a command as well.
 */
export async function startRegistry(): Promise<LocalRegistry> {
  const dir = await tempDir();
  const [key, cert] = [join(dir.path, 'key.pem'), join(dir.path, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost'],
    ],
    { stdio: 'ignore' },
  );
  const tarballs = new Map(VERSIONS.map((version) => [version, tarball(dir.path, version)]));
  const wheels = new Map(VERSIONS.map((version) => [wheelName(version), wheel(dir.path, version)]));
  const asked: string[] = [];
  let port = 0;
  const tarballUrl = (version: string): string =>
    `https://localhost:${port}/local-dep/-/local-dep-${version}.tgz`;
  const integrity = (version: string): string =>
    `sha512-${createHash('sha512')
      .update(tarballs.get(version) ?? '')
      .digest('base64')}`;
  const answer = (path: string): string | Buffer | undefined => {
    if (path === '/local-dep')
      return JSON.stringify({
        name: 'local-dep',
        'dist-tags': { latest: VERSIONS.at(-1) },
        versions: Object.fromEntries(
          VERSIONS.map((version) => [
            version,
            {
              name: 'local-dep',
              version,
              dist: { tarball: tarballUrl(version), integrity: integrity(version) },
            },
          ]),
        ),
      });
    const [, version] = /^\/local-dep\/-\/local-dep-(.*)\.tgz$/.exec(path) ?? [];
    if (version !== undefined) return tarballs.get(version);
    if (path === '/simple/local-tool/')
      return [...wheels.keys()].map((name) => `<a href="/files/${name}">${name}</a>`).join('\n');
    return wheels.get(path.replace(/^\/files\//, ''));
  };
  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(cert) },
    (request, response) => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      asked.push(path);
      const body = answer(path);
      const type = path.startsWith('/simple') ? 'text/html' : 'application/octet-stream';
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': type }).end(body);
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  return {
    port,
    url: `https://localhost:${port}/`,
    cafile: cert,
    asked,
    lockEntry: (version) => ({
      version,
      resolved: tarballUrl(version),
      integrity: integrity(version),
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await dir[Symbol.asyncDispose]();
    },
  };
}

function tarball(dir: string, version: string): Buffer {
  const own = join(dir, `npm-${version}`);
  mkdirSync(join(own, 'package'), { recursive: true });
  const manifest = { name: 'local-dep', version, main: 'index.js' };
  writeFileSync(join(own, 'package/package.json'), JSON.stringify(manifest));
  writeFileSync(join(own, 'package/index.js'), `exports.version = '${version}';\n`);
  return execFileSync('tar', ['-czf', '-', '-C', own, 'package']);
}

function wheelName(version: string): string {
  return `local_tool-${version}-py3-none-any.whl`;
}

function wheel(dir: string, version: string): Buffer {
  const info = `local_tool-${version}.dist-info`;
  const files = {
    'local_tool.py': `version = '${version}'\ndef main():\n    print('local tool ' + version)\n`,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: local-tool\nVersion: ${version}\n`,
    [`${info}/WHEEL`]:
      'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    [`${info}/entry_points.txt`]: '[console_scripts]\nlocal-tool = local_tool:main\n',
    [`${info}/RECORD`]: '',
  };
  const path = join(dir, wheelName(version));
  const program = `import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as z:
    for name, text in json.load(sys.stdin).items(): z.writestr(name, text)`;
  execFileSync('python3', ['-c', program, path], { input: JSON.stringify(files) });
  return readFileSync(path);
}
