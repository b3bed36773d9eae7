/** A user with a repository, a home for our state, and an agent that is a function on a folder. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../src/base/clock.ts';
import { parseRunId } from '../../src/base/ids.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { which } from '../../src/host/process/which.ts';
import { tempDir } from '../support/temp-dir.ts';
import type { CreateRequest, Workspace } from '../../src/workspace/create-workspace.ts';
import { createWorkspace } from '../../src/workspace/create-workspace.ts';
import type { WorkspacePorts } from '../../src/workspace/workspace.ts';

const run = promisify(execFile);

export const RUN = parseRunId('0123456789') ?? assert.fail();

/** By path: text, `{ x: text }` for an executable, `{ to: target }` for a symlink. */
export type Files = Readonly<
  Record<string, string | { readonly x: string } | { readonly to: string }>
>;

export type WorkspaceHarness = AsyncDisposable & {
  readonly home: string;
  readonly project: string;
  readonly ports: WorkspacePorts;
  readonly git: (...args: readonly string[]) => Promise<string>;
  readonly make: (more?: Partial<CreateRequest>) => Promise<Workspace>;
};

/** Git as the user has it, with its own home, so that this machine's settings do not matter. */
export async function userGit(cwd: string, home: string, args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'User',
    GIT_AUTHOR_EMAIL: 'user@example.test',
    GIT_COMMITTER_NAME: 'User',
    GIT_COMMITTER_EMAIL: 'user@example.test',
  };
  const asked = run('git', ['-c', 'protocol.file.allow=always', ...args], {
    cwd,
    env,
    maxBuffer: 1e8,
    timeout: 60_000,
  });
  asked.child.stdin?.end();
  const { stdout } = await asked;
  return stdout;
}

/** With `files` committed to a new repository, or uncommitted in a folder with `plain`. */
export async function workspaceHarness(
  files: Files = {},
  { plain = false, clock = systemClock }: { readonly plain?: boolean; readonly clock?: Clock } = {},
): Promise<WorkspaceHarness> {
  const dir = await tempDir();
  const [home, project, userHome] = ['state', 'project', 'user'].map((name) =>
    join(dir.path, name),
  );
  assert.ok(home !== undefined && project !== undefined && userHome !== undefined);
  for (const path of [home, project, userHome]) await mkdir(path);
  const git = (...args: readonly string[]): Promise<string> => userGit(project, userHome, args);
  await write(project, files);
  if (!plain) {
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '--all', '--force');
    await git('commit', '--quiet', '--allow-empty', '--message=first');
  }
  const ports: WorkspacePorts = {
    git: which('git', process.env) ?? assert.fail('git is missing'),
    clock,
    tag: `workspace-test-${process.pid}`,
    userHome,
  };
  return {
    home,
    project,
    ports,
    git,
    make: (more = {}) =>
      createWorkspace({ path: project, home, run: RUN, attempt: 1, ...more }, ports),
    [Symbol.asyncDispose]: async () => {
      await dir[Symbol.asyncDispose]();
    },
  };
}

export async function write(root: string, files: Files): Promise<void> {
  for (const [path, file] of Object.entries(files)) {
    const full = join(root, path);
    await mkdir(dirname(full), { recursive: true });
    await rm(full, { recursive: true, force: true });
    if (typeof file === 'object' && 'to' in file) await symlink(file.to, full);
    else await writeFile(full, typeof file === 'string' ? file : file.x);
    if (typeof file === 'object' && 'x' in file) await chmod(full, 0o755);
  }
}

/** All files below a folder but those of git, in the form in which `write` takes them. */
export async function read(root: string, folder = ''): Promise<Files> {
  const found: Record<string, Files[string]> = {};
  for (const { name } of await readdir(join(root, folder), { withFileTypes: true })) {
    if (name === '.git') continue;
    const path = folder === '' ? name : `${folder}/${name}`;
    const stats = await lstat(join(root, path));
    if (stats.isDirectory()) Object.assign(found, await read(root, path));
    else if (stats.isSymbolicLink()) found[path] = { to: await readlink(join(root, path)) };
    else if (stats.isFile()) {
      const text = await readFile(join(root, path), 'utf8');
      found[path] = (stats.mode & 0o100) === 0 ? text : { x: text };
    }
  }
  return found;
}
