/** Current folders and project folders that are gone, closed or oddly named. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { ClumsyCase, ClumsyWorld } from './clumsy-world.ts';
import { folder, testClumsyCases, userHome } from './clumsy-world.ts';

const RUN = ['run', 'x', '--agent', 'scripted'];

/** Removes the current folder before the command is typed. */
function inDeletedFolder(typed: string, world: ClumsyWorld): string {
  const gone = folder(world, 'gone', 0o755);
  return `cd '${gone}' && rmdir '${gone}' && ${typed}`;
}

const FOLDERS: readonly ClumsyCase[] = [
  {
    act: 'the current folder was deleted, and the command needs none',
    args: ['owner', 'status'],
    shell: inDeletedFolder,
    code: 0,
    says: /No owner is running|pid/,
  },
  ...(
    [
      [RUN, /with cd, or name it with --project\./],
      [['init', '--yes'], /with cd, or name it with --project\./],
      [['config'], /with cd, or name it with --project\./],
      [['roles', 'list'], /with cd, or name it with --project\./],
      [['trust'], /with cd, or name it\./],
      [['up', '--detach'], /with cd\./],
      [['stop', 'last'], /with cd\./],
    ] as const
  ).map(([args, remedy]): ClumsyCase => ({
    act: `the current folder was deleted before ${args[0]}`,
    args,
    shell: inDeletedFolder,
    code: 2,
    says: /The current folder .*gone does not exist/,
    remedy,
  })),
  {
    act: 'the project is closed to the user',
    args: [...RUN, '-p', '../closed'],
    asNobody: true,
    prepare: (world) => void folder(world, 'closed', 0o700),
    env: () => userHome('/'),
    code: 2,
    says: /closed cannot be opened: you have no permission/,
    remedy: /Name an existing folder with --project/,
  },
  {
    act: 'the folder of the project is a link to itself',
    args: ['config', '-p', '../ring'],
    prepare: (world) => symlinkSync('ring', world.at('ring')),
    code: 2,
    says: /ring cannot be opened: its symbolic links lead in a circle/,
    remedy: /Name an existing folder/,
  },
  ...[
    'two words',
    'line\nbreak',
    'ünïcode-東京',
    `qu"ote's`,
    '-dash',
    '$(touch x)',
    'a;b',
    'e\u001B[31m',
  ].map((name): ClumsyCase => ({
    act: `the project has the name ${JSON.stringify(name)}`,
    args: ['config'],
    prepare: (world) => {
      const dir = folder(world, `names/${name}`, 0o755);
      writeFileSync(join(dir, 'a.txt'), '');
      return dir;
    },
    code: 0,
    says: /attempt\.grace/,
  })),
];

describe('a folder that is gone, closed or oddly named', { timeout: 600_000 }, () => {
  testClumsyCases(FOLDERS);
});
