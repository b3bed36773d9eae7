import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeRow } from './probes/run-probes.ts';
import { renderMatrix } from './render-matrix.ts';

const row = (id: string, verdict: ProbeRow['verdict'], note = ''): ProbeRow => ({
  id,
  area: 'files',
  tries: `do ${id}`,
  expect: 'refused',
  found: 'refused',
  verdict,
  note,
});

const enforced = {
  files: 'namespace',
  network: 'namespace',
  processes: 'namespace',
  user: 'ordinary',
  syscalls: 'seccomp',
  memory: 'rlimit',
  cpus: 'none',
  pids: 'rlimit',
  disk: 'watched',
  tmp: 'sized',
} as const;

test('a matrix has a line for each probe, a column for each backend, and lists what is not enforced', () => {
  const good = {
    backend: 'bubblewrap',
    enforced,
    rows: [row('a', 'good'), row('b', 'good')],
    hits: 0,
    secretSeen: false,
    failure: null,
  } as const;
  const bad = {
    ...good,
    backend: 'docker',
    enforced: null,
    rows: [row('a', 'bad'), row('b', 'known', 'old')],
    hits: 1,
  } as const;
  const shown = renderMatrix(
    [good, bad],
    [{ backend: 'podman', why: 'it is not installed' }],
    (text) => text,
  );
  assert.equal(
    shown,
    `files                    bubblewrap  docker
a                        ✓           ✗       to do a
b                        ✓           ~       to do b

✓ bubblewrap holds: 2 tries, 0 connections got out
  not enforced on this machine: cpus
  enforced without a cgroup: memory, pids
✗ docker does not hold: 1 of 2 tries, 1 connection got out
  ~ b: old
– podman: it is not installed
✓ as promised, ~ differs for a known reason, ? not tried, ✗ does not hold
`,
  );
});
