import type { MountLayout, SandboxFacts } from '../../src/sandbox/sandbox-facts.ts';

/** A Debian machine with every tool, as an ordinary user sees it. */
export const sandboxFacts: SandboxFacts = {
  platform: 'linux',
  arch: 'x64',
  uid: 1000,
  gid: 1000,
  tools: {
    sh: '/usr/bin/sh',
    bash: '/usr/bin/bash',
    bwrap: '/usr/bin/bwrap',
    setpriv: '/usr/bin/setpriv',
    unshare: '/usr/bin/unshare',
    mkfifo: '/usr/bin/mkfifo',
    docker: '/usr/bin/docker',
    podman: '/usr/bin/podman',
  },
  rootFolders: [
    { kind: 'link', path: '/bin', target: 'usr/bin' },
    { kind: 'folder', path: '/lib64' },
  ],
  etc: ['/etc/ssl/certs'],
  cgroup: { kind: 'none', why: 'only root may limit groups of processes here' },
  node: '/opt/node/bin/node',
  engineEnv: { PATH: '/usr/bin', HOME: '/home/ada' },
};

export const sandboxPlace: MountLayout = {
  scratch: '/tmp/scratch',
  user: { uid: 1000, gid: 1000 },
  joins: [],
  limited: [],
  stages: new Map(),
  container: 'supervisor-sandbox-1',
};
