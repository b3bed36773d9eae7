import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { Owner } from '../../src/owner/owner.ts';
import type { OwnerOptions } from '../../src/owner/owner-options.ts';
import { homeAt } from '../../src/host/machine/state-home.ts';
import { newOwnerId } from '../../src/host/process/owner-id.ts';
import { systemClock } from '../../src/host/machine/system-clock.ts';
import { tempDir } from './temp-dir.ts';

/** A real owner of a home, in this process and without a socket. */
export function openTestOwner(dir: string, options: Partial<OwnerOptions> = {}): Promise<Owner> {
  return Owner.open({
    home: homeAt(dir, dir),
    ownerId: newOwnerId(),
    version: '1.2.3',
    pid: process.pid,
    clock: systemClock,
    random: seededRandom(1),
    node: process.execPath,
    agentEnv: { PATH: process.env['PATH'] ?? '' },
    scriptedInProject: true,
    env: {},
    log: () => {},
    ...options,
  });
}

export type TestOwner = AsyncDisposable & {
  readonly dir: string;
  /** An empty folder to work in. */
  readonly project: string;
  readonly owner: Owner;
  /** Rewrites the user's configuration file. */
  readonly configure: (config: string) => Promise<void>;
};

/** The same in its own home, closed and removed at the end of the scope. */
export async function testOwner(
  config = '',
  options: Partial<OwnerOptions> = {},
): Promise<TestOwner> {
  const dir = await tempDir();
  const configure = (text: string): Promise<void> => writeFile(join(dir.path, 'config.yaml'), text);
  await configure(config);
  const project = join(dir.path, 'a-project');
  await mkdir(project);
  const owner = await openTestOwner(dir.path, options);
  return {
    dir: dir.path,
    project,
    owner,
    configure,
    [Symbol.asyncDispose]: async () => {
      await owner.close('the test is over');
      await dir[Symbol.asyncDispose]();
    },
  };
}
