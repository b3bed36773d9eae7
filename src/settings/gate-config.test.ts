import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Gate } from './gate-config.ts';

const PLAIN = { name: 'a', command: ['x'], timeoutMs: 600_000 };

const CASES: readonly (readonly [why: string, written: object, pinned: object])[] = [
  ['defaults are not stored', {}, {}],
  ['retry is the default', { on_fail: 'retry', severity: 'error' }, {}],
  ['block ends the run', { on_fail: 'block' }, { blocks: true }],
  ['warn only reports', { on_fail: 'warn' }, { warns: true }],
  ['ask asks a person', { on_fail: 'ask' }, { asks: true }],
  ['a warning does not count', { severity: 'warning' }, { severity: 'warning', warns: true }],
  ['an info does not count', { severity: 'info' }, { severity: 'info', warns: true }],
  ['on_fail decides before severity', { severity: 'info', on_fail: 'retry' }, { severity: 'info' }],
  ['dependencies are stored', { depends_on: ['b'] }, { dependsOn: ['b'] }],
  ['a gate may run after a red one', { skip_on_dependency_failure: false }, { runsAfterRed: true }],
  ['it is skipped by default', { skip_on_dependency_failure: true }, {}],
  [
    'a cache may depend on some files',
    { cache: true, cache_inputs: ['src/**'] },
    { cacheMs: 3_600_000, cacheInputs: ['src/**'] },
  ],
  ['an empty list of writes allows none', { allowed_writes: [] }, { allowedWrites: [] }],
  ['a cache lasts an hour', { cache: true }, { cacheMs: 3_600_000 }],
  ['a cache has a time', { cache: '5m' }, { cacheMs: 300_000 }],
  ['protected files are listed by default', { protect: 'report' }, {}],
  ['protected files can end the run', { protect: 'block' }, { protect: 'block' }],
  ['mutants can be tried', { prove: 'block' }, { prove: 'block' }],
  ['gates can run side by side', { parallel_safe: true }, { parallelSafe: true }],
  ['a report is stored', { report: 'r.xml' }, { report: 'r.xml' }],
  [
    'coverage has a minimum',
    { coverage: { file: 'l', format: 'lcov', changed_min: 90 } },
    { coverage: { file: 'l', format: 'lcov', min: 80, changedMin: 90 } },
  ],
  ['limits are stored', { memory: '1GB', cpus: 0.5 }, { memoryBytes: 1_000_000_000, cpus: 0.5 }],
  ['allow_shell is for the check of the file', { allow_shell: true }, {}],
  [
    'the place and the variables are stored',
    { working_dir: 'web', env: { TZ: 'UTC' } },
    { workingDir: 'web', env: { TZ: 'UTC' } },
  ],
];

describe('a gate in a file', () => {
  for (const [why, written, pinned] of CASES)
    test(why, () =>
      assert.deepEqual(Gate.parse({ name: 'a', command: ['x'], ...written }), {
        ...PLAIN,
        ...pinned,
      }),
    );
});

test('files for a cache that is off are refused', () => {
  const result = Gate.safeParse({ name: 'a', command: ['x'], cache_inputs: ['src/**'] });
  assert.deepEqual(
    result.error?.issues.map(({ path, message }) => [path, message]),
    [[['cache_inputs'], 'no cache_inputs without cache: no result is used again']],
  );
});
