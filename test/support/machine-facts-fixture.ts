import type { ProbeAnswer, MachineFacts } from '../../src/doctor/machine-facts.ts';

/** The output of a program that answered as expected. */
export function answered(path: string, stdout: string): ProbeAnswer {
  return { kind: 'ended', path, ok: true, how: 'exited with code 0', stdout, stderr: '' };
}

export function failed(path: string, code: number, stderr: string, stdout = ''): ProbeAnswer {
  return { kind: 'ended', path, ok: false, how: `exited with code ${code}`, stdout, stderr };
}

const absent: ProbeAnswer = { kind: 'absent' };

/**
 * A developer's Debian machine on which one agent is ready and the other CLIs are not installed.
 */
export const goodMachine: MachineFacts = {
  platform: 'linux',
  node: { version: '24.1.0', path: '/usr/bin/node' },
  program: '/opt/agent supervisor/bin/supervisor.js',
  uid: 1000,
  at: Date.UTC(2026, 0, 1),
  os: { id: 'debian', like: [], name: 'Debian GNU/Linux 12 (bookworm)' },
  container: undefined,
  ci: undefined,
  hasSystemd: true,
  sqlite: { kind: 'works', version: '3.50.4' },
  git: answered('/usr/bin/git', 'git version 2.39.5\n'),
  namespaces: { apparmorRestricts: null, usersMay: null, max: 63_000 },
  bubblewrap: {
    version: answered('/usr/bin/bwrap', 'bubblewrap 0.8.0\n'),
    trial: answered('/usr/bin/bwrap', ''),
  },
  hold: { why: null, loose: [] },
  docker: absent,
  podman: { version: absent, trial: null },
  seatbelt: absent,
  agents: [
    {
      cli: 'claude',
      version: answered('/usr/bin/claude', '2.1.4 (Claude Code)\n'),
      logins: [
        {
          kind: 'file',
          path: '/home/ada/.claude/.credentials.json',
          expiresAt: Date.UTC(2026, 0, 1, 8),
          renews: true,
        },
      ],
    },
    ...['codex', 'gemini', 'copilot', 'opencode'].map((cli) => ({
      cli,
      version: absent,
      logins: [],
    })),
  ],
  state: {
    path: '/home/ada/.supervisor',
    kind: 'absent',
    nearest: '/home/ada',
    isWritable: true,
    isShared: true,
    disk: { freeBytes: 80_400_000_000, isRemote: false },
  },
  journal: null,
};
