/** Homes that can not be used, and users without one. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';
import type { ClumsyCase, ClumsyWorld } from './clumsy-world.ts';
import { folder, NO_ACCOUNT, testClumsyCases, userHome } from './clumsy-world.ts';

const STATUS = ['status'];
const RUN = ['run', 'x', '--agent', 'scripted'];
/** A command that creates the home. */
const START = [...RUN, '--detach'];
const SET_HOME = /Set SUPERVISOR_HOME to a new or empty folder that you can write to/;

function stateHome(
  path: (world: ClumsyWorld) => string,
): (world: ClumsyWorld) => NodeJS.ProcessEnv {
  return (world) => ({ SUPERVISOR_HOME: path(world) });
}

const STATE_HOMES: readonly ClumsyCase[] = [
  ...[STATUS, ['inbox'], ['report'], ['status', '--all'], ['tree']].map((args): ClumsyCase => ({
    act: `the home does not exist, and ${args.join(' ')} only reads`,
    args,
    env: stateHome((world) => world.at('typo')),
    shell: (typed, world) =>
      `${typed} 2>&1; code=$?; test ! -e '${world.at('typo')}' && exit $code`,
    code: 0,
    says: /Note: the home .*typo does not exist, so nothing is there\./,
  })),
  {
    act: 'the home does not exist, and a run in it is named',
    args: ['stop', 'last'],
    env: stateHome((world) => world.at('typo')),
    code: 2,
    says: /The home .*typo does not exist, so there is no run\./,
    remedy: /Correct SUPERVISOR_HOME if it names the wrong folder/,
  },
  {
    act: 'the home is a file',
    args: STATUS,
    env: stateHome((world) => join(world.project, 'a.txt')),
    code: 2,
    says: /The home .*a\.txt can't be used: it is a file, not a folder/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is below a file',
    args: STATUS,
    env: stateHome((world) => join(world.project, 'a.txt/x/y')),
    code: 2,
    says: /a part of its path is not a folder \(ENOTDIR\)/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is a folder of the kernel',
    args: STATUS,
    env: stateHome(() => '/proc'),
    code: 2,
    says: /The home \/proc can't be used: it belongs to the machine/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is below a folder of the kernel',
    args: START,
    env: stateHome(() => '/proc/x/y'),
    code: 2,
    says: /The home \/proc\/x\/y can't be used: /,
    remedy: SET_HOME,
  },
  {
    act: 'the home is below a folder of the kernel, with the owner in the command',
    args: [...RUN, '--foreground'],
    env: stateHome(() => '/proc/x'),
    code: 2,
    says: /The home \/proc\/x can't be used: /,
    remedy: SET_HOME,
  },
  {
    act: 'the home is a device',
    args: STATUS,
    env: stateHome(() => '/dev/null'),
    code: 2,
    says: /The home \/dev\/null can't be used: it is a file/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is the project',
    args: STATUS,
    env: stateHome((world) => world.project),
    code: 2,
    says: /project can't be used: it contains other files, and other users may read them/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is a folder that all users share',
    args: STATUS,
    env: stateHome((world) => folder(world, 'shared', 0o1777)),
    code: 2,
    says: /shared can't be used: all users of this machine share it/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is a link to nothing',
    args: STATUS,
    prepare: (world) => symlinkSync('nowhere', world.at('dangling')),
    env: stateHome((world) => world.at('dangling')),
    code: 2,
    says: /it is a symbolic link to a folder that does not exist/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is a link to itself',
    args: STATUS,
    prepare: (world) => symlinkSync('circle', world.at('circle')),
    env: stateHome((world) => world.at('circle')),
    code: 2,
    says: /its symbolic links lead in a circle \(ELOOP\)/,
    remedy: SET_HOME,
  },
  {
    act: 'the home has a name of 3000 letters',
    args: STATUS,
    env: stateHome((world) => world.at('x'.repeat(3000))),
    code: 2,
    says: /^error: The home .{0,220}… can't be used: its path is too long/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is on a read-only disk',
    args: START,
    inNamespace: true,
    prepare: (world) => void folder(world, 'disk', 0o755),
    env: stateHome((world) => world.at('disk/home')),
    shell: (typed, world) => `mount -t tmpfs -o ro,size=1m tmpfs '${world.at('disk')}' && ${typed}`,
    code: 2,
    says: /disk\/home can't be used: the file system is read-only \(EROFS\)/,
    remedy: SET_HOME,
  },
  {
    act: 'the home is on a full disk',
    args: STATUS,
    inNamespace: true,
    prepare: (world) => void folder(world, 'full', 0o700),
    env: stateHome((world) => world.at('full')),
    shell: (typed, world) =>
      `mount -t tmpfs -o size=64k,mode=0700 tmpfs '${world.at('full')}' && ` +
      `head -c 200000 /dev/zero >'${world.at('full/projects')}' 2>/dev/null; ${typed}`,
    code: 1,
    says: /full.* can't be used: the disk is full, or has no inodes left \(ENOSPC\)/,
    remedy: /Free some disk space, and try again/,
  },
  {
    act: 'the home belongs to another user',
    args: STATUS,
    asNobody: true,
    env: (world) => ({
      SUPERVISOR_HOME: world.harness.home.dir,
      HOME: '/',
      NODE_COMPILE_CACHE: '',
    }),
    code: 2,
    says: /you have no permission to use it \(EACCES\)/,
    remedy: SET_HOME,
  },
];

const USERS: readonly ClumsyCase[] = [
  {
    act: 'the user has no account and no HOME',
    args: STATUS,
    asNobody: true,
    env: () => userHome(undefined),
    code: 2,
    says: new RegExp(`HOME is not set, and this machine has no account for user id ${NO_ACCOUNT}`),
    remedy: /export HOME=/,
  },
  {
    act: 'the user has no account, no HOME and a project to set up',
    args: ['init', '--yes'],
    asNobody: true,
    env: () => userHome(undefined),
    code: 2,
    says: /You have no home folder/,
    remedy: /export HOME=/,
  },
  {
    act: 'the user has no account, and asks for help',
    args: ['run', '--help'],
    asNobody: true,
    env: () => userHome(undefined),
    code: 0,
    says: /^Usage: supervisor run/,
  },
  {
    act: 'the user has no account, and HOME is the root folder',
    args: START,
    asNobody: true,
    env: () => userHome('/'),
    code: 2,
    says: /The home \/\.supervisor can't be used: you have no permission/,
    remedy: SET_HOME,
  },
  {
    act: 'the user has no account and looks at the settings',
    args: ['config'],
    asNobody: true,
    env: () => userHome('/'),
    code: 0,
    says: /attempt\.grace/,
  },
  {
    act: 'HOME is /proc',
    args: START,
    env: () => userHome('/proc'),
    code: 2,
    says: /The home \/proc\/\.supervisor can't be used: no folder can be created there/,
    remedy: SET_HOME,
  },
  {
    act: 'HOME is a file',
    args: STATUS,
    env: (world) => userHome(join(world.project, 'a.txt')),
    code: 2,
    says: /a part of its path is not a folder/,
    remedy: SET_HOME,
  },
  {
    act: 'HOME is empty',
    args: ['owner', 'status'],
    env: (world) => ({ HOME: '', SUPERVISOR_HOME: world.harness.home.dir }),
    code: 0,
    says: /No owner is running|pid/,
  },
  {
    act: 'HOME is relative',
    args: ['owner', 'status'],
    env: () => userHome('me'),
    code: 0,
    says: /No owner is running/,
  },
  {
    act: 'HOME is the project of an init',
    args: ['init', '--yes'],
    env: (world) => ({ HOME: world.project }),
    code: 2,
    says: /project is too broad to be a project: it is your home folder/,
    remedy: /--project DIR/,
  },
];

describe('a home or a user that can not be used', { timeout: 600_000 }, () => {
  testClumsyCases([...STATE_HOMES, ...USERS]);
});
