/** The package as a user has it: packed, unpacked, with its dependencies beside it. */
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Unpacks it into `folder` and returns the path of its command. */
export function installInto(folder: string): string {
  const pack = ['pack', '--silent', '--pack-destination', folder];
  const printed = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' });
  execFileSync('tar', ['-xzf', printed.trim().split('\n').at(-1) ?? ''], { cwd: folder });
  symlinkSync(`${root}node_modules`, `${folder}/node_modules`);
  return `${folder}/package/bin/supervisor.js`;
}
