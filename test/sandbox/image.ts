/** A small image made of this machine's own programs, so that a test needs no registry. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PROGRAMS =
  'sh bash cat ls id ln mkdir rmdir rm mv touch chmod sleep head tail tr wc grep find env date mknod mount unshare perl printf kill setsid socat true timeout';

/**
 * Fills a folder with a root file system: the programs, their libraries, perl's own files, Node.
 */
export function makeRootfs(root: string, node: string): void {
  for (const path of [
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'etc',
    'tmp',
    'proc',
    'dev',
    'sys',
    'run',
    'home/agent',
    'var/tmp',
  ])
    mkdirSync(join(root, path), { recursive: true });
  for (const [link, target] of [
    ['bin', 'usr/bin'],
    ['lib', 'usr/lib'],
    ['lib64', 'usr/lib64'],
    ['sbin', 'usr/bin'],
  ] as const)
    symlinkSync(target, join(root, link));
  const programs = PROGRAMS.split(' ').flatMap((name) => find(name));
  for (const program of [...programs, node]) {
    copyFileSync(realpathSync(program), join(root, 'usr/bin', basename(program)));
    chmodSync(join(root, 'usr/bin', basename(program)), 0o755);
    for (const library of librariesOf(program)) copyTo(root, library);
  }
  // Single-file agents link libraries that older C libraries had as separate files.
  for (const name of ['librt.so.1', 'libpthread.so.0', 'libdl.so.2', 'libm.so.6']) {
    const folder = dirname(
      librariesOf('/bin/sh').find((path) => path.includes('libc.so')) ?? '/lib/x',
    );
    if (existsSync(join(folder, name))) copyTo(root, join(folder, name));
  }
  const perlFiles = execFileSync('perl', ['-e', 'print join "\\n", @INC'], { encoding: 'utf8' });
  for (const folder of perlFiles.split('\n').filter((path) => path.endsWith('perl-base')))
    cpSync(folder, join(root, folder), { recursive: true, dereference: true });
  for (const path of ['tmp', 'var/tmp']) chmodSync(join(root, path), 0o1777);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
  writeFileSync(join(root, 'etc/shadow'), '');
  chmodSync(join(root, 'etc/shadow'), 0o600);
}

/** Packs it and imports it into an engine. */
export function importImage(engine: readonly string[], root: string, name: string): void {
  const tar = spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1_000_000_000 });
  const [program = '', ...args] = engine;
  const { status, stderr } = spawnSync(program, [...args, 'import', '-', name], {
    input: tar.stdout,
    encoding: 'utf8',
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`the image could not be imported: ${stderr}`);
}

function find(name: string): readonly string[] {
  return ['/usr/bin', '/bin', '/usr/sbin', '/sbin']
    .map((folder) => join(folder, name))
    .filter((path) => existsSync(path))
    .slice(0, 1);
}

function librariesOf(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path]) => path ?? '');
}

function copyTo(root: string, library: string): void {
  // /lib is a link into /usr in the image, whatever it is here.
  const target = join(root, library.startsWith('/usr/') ? library : `/usr${library}`);
  mkdirSync(dirname(target), { recursive: true });
  if (!existsSync(target)) copyFileSync(realpathSync(library), target);
}
