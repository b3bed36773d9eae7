import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CgroupParents } from '../../src/host/process/cgroup.ts';
import { oomWay } from './oom-way.ts';

const counts: CgroupParents = { kind: 'v2', parent: '/g' };
const none: CgroupParents = { kind: 'none', why: 'not for you' };
const noMemory: CgroupParents = { kind: 'v1', parents: { cpu: '/g' } };

test('the cause of an OOM kill is printed, and CI requires it', () => {
  const cases: [env: Record<string, string>, cgroups: CgroupParents, printed: RegExp][] = [
    [{}, counts, /^kernel: .*by the kernel/],
    [{}, none, /^killed: .*NOT tried.*not for you/],
    [{}, noMemory, /^killed: .*NOT tried.*no limit of memory/],
    [{ CI: 'true' }, counts, /^refused: CI has to say/],
    [{ CI: 'true', SUPERVISOR_TEST_OOM: 'maybe' }, none, /^refused: CI has to say/],
    [{ CI: 'true', SUPERVISOR_TEST_OOM: 'kernel' }, counts, /^kernel: /],
    [
      { CI: 'true', SUPERVISOR_TEST_OOM: 'kernel' },
      none,
      /^refused: .*memory is not counted.*not for you/,
    ],
    [{ CI: 'true', SUPERVISOR_TEST_OOM: 'killed' }, none, /^killed: .*NOT tried/],
    [{ CI: 'true', SUPERVISOR_TEST_OOM: 'killed' }, counts, /^killed: .*NOT tried.*OOM=killed/],
  ];
  for (const [env, cgroups, printed] of cases) {
    const output: string[] = [];
    const t = { diagnostic: (words: string): void => void output.push(words) };
    let result: string;
    try {
      result = `${oomWay(t, env, cgroups)}: ${output.join()}`;
    } catch (error) {
      result = `refused: ${String(error)}`.replace('Error: ', '');
    }
    assert.match(result, printed);
  }
});
