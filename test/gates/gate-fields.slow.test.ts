/** The settings of a gate in a real sandbox: its folder, variables, limits, writes, and results that are used again. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { GateInput, GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';
import { GateHarness } from './gate-harness.ts';

const TIMEOUT = { timeout: 300_000 };

function isMissing(t: TestContext): boolean {
  if (which('bwrap', process.env) !== undefined) return false;
  if (process.env['CI'] !== undefined) assert.fail('missing: bubblewrap');
  t.skip('missing: bubblewrap');
  return true;
}

function describeEnd(outcome: GateOutcome): string {
  if (outcome.kind === 'passed') return 'passed';
  return outcome.kind === 'unable' ? outcome.why : (outcome.reported ?? [outcome.tail]).join('; ');
}

type Case = readonly [why: string, script: string, gate: Partial<GateInput>, end: string];

describe('a gate with settings of its own', TIMEOUT, () => {
  const cases: readonly Case[] = [
    ['starts in its folder', 'test -e ok', { workingDir: 'web' }, 'passed'],
    [
      'cannot run if its folder is not in the work',
      'true',
      { workingDir: 'wbe' },
      'The work has no folder wbe, which is the working_dir of the gate. Correct working_dir, or let the work create the folder.',
    ],
    [
      'does not follow a link to its folder',
      'true',
      { workingDir: 'link' },
      'The work has no folder link, which is the working_dir of the gate. Correct working_dir, or let the work create the folder.',
    ],
    ['has its variables', 'test "$GREETING" = hello', { env: { GREETING: 'hello' } }, 'passed'],
    ['has no others', 'test -z "$GREETING"', {}, 'passed'],
    ['may write anything by default', 'echo 1 >new; echo 2 >a', {}, 'passed'],
    [
      'may write what it lists',
      'mkdir -p out/x; echo 1 >out/x/y',
      { allowedWrites: ['out/**'] },
      'passed',
    ],
    [
      'is red if it writes anything else',
      'echo 1 >out; echo 2 >>a; rm web/ok',
      { allowedWrites: ['out'] },
      'it changed files that allowed_writes does not list: a, web/ok',
    ],
    [
      'may ask git about its files',
      'git status --porcelain >/dev/null; echo 1 >/tmp/x; echo 1 >~/x',
      { allowedWrites: [] },
      'passed',
    ],
  ];
  for (const [why, script, gate, end] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      await using harness = await GateHarness.create(
        'echo 1 >a; mkdir web; echo 1 >web/ok; ln -s web link',
        'echo 2 >b',
      );
      const { outcome } = await harness.judge(['sh', '-c', script], gate);
      assert.equal(describeEnd(outcome), end);
    });
});

test('a result is used again for the same files alone', TIMEOUT, async (t) => {
  if (isMissing(t)) return;
  await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >a');
  const judge = async (gate: Partial<GateInput>, wanted = '2'): Promise<string> => {
    const { outcome, notes } = await harness.judge(['grep', '-q', wanted, 'a'], gate);
    const isEarlier = outcome.kind === 'passed' && outcome.cachedAtMs !== undefined;
    return `${outcome.kind}, ${isEarlier ? 'earlier' : 'now'}, ${notes.length === 0 ? 'not run' : 'run'}`;
  };
  const cache = { cacheMs: 3_600_000 };
  assert.deepEqual(
    [
      await judge({}),
      await judge(cache),
      await judge(cache),
      await judge({ ...cache, env: { TZ: 'UTC' } }),
      await judge({ ...cache, cpus: 0.5 }),
      await judge({ ...cache, testsMayChange: true }),
      await judge({ ...cache, attempt: 0 }),
      await judge({ ...cache, cacheMs: 1 }),
      await judge({}),
      await judge(cache, '3'),
      await judge(cache, '3'),
    ],
    [
      'passed, now, run',
      'passed, now, run',
      'passed, earlier, not run',
      ...Array.from({ length: 6 }, () => 'passed, now, run'),
      // A red result is not used again.
      ...Array.from({ length: 2 }, () => 'failed, now, run'),
    ],
  );
});

test('a cached result may depend on the files that the gate names', TIMEOUT, async (t) => {
  if (isMissing(t)) return;
  await using harness = await GateHarness.create('echo 1 >a; echo 1 >b', 'echo 2 >b');
  const next = { attempt: 0, work: await harness.nextStep('b000000000', 'echo 3 >b') };
  const judge = async (gate: Partial<GateInput>): Promise<string> => {
    const cached = { cacheMs: 3_600_000, ...gate };
    const { outcome } = await harness.judge(['grep', '-q', '1', 'a'], cached);
    return outcome.kind === 'passed' && outcome.cachedAtMs !== undefined ? 'earlier' : 'now';
  };
  assert.deepEqual(
    [
      await judge({ cacheInputs: ['a'] }),
      await judge({ cacheInputs: ['a'], ...next }),
      await judge({ cacheInputs: ['a', 'b'], ...next }),
      await judge(next),
    ],
    ['now', 'earlier', 'now', 'now'],
  );
});

const JUNIT =
  '<testsuite><testcase classname="cart" name="adds" file="\'$PWD\'/cart.js" line="4"><failure message="3 is not 4"/></testcase></testsuite>';
const LCOV = (hits: number): string => `SF:a\\nDA:1,${hits}\\nDA:2,1\\n`;
const COVERAGE = { file: 'out/lcov.info', format: 'lcov', min: 80 } as const;

describe('the files that a gate writes', TIMEOUT, () => {
  const cases: readonly (readonly [...Case, work?: string])[] = [
    [
      'a failed test of its report makes it red',
      `echo '${JUNIT}' >r.xml`,
      { report: 'r.xml' },
      'its report r.xml has 1 failed test',
    ],
    ['a report has to be written', 'true', { report: 'r.xml' }, 'it wrote no r.xml'],
    [
      'a report of the work does not count',
      'true',
      { report: 'r.xml' },
      'it wrote no r.xml',
      'echo "<testsuite/>" >r.xml',
    ],
    ['TAP on its output is read', 'echo 1..1; echo ok 1', { report: 'stdout' }, 'passed'],
    [
      'coverage below the minimum is red',
      `mkdir out; printf '${LCOV(0)}' >out/lcov.info`,
      { coverage: COVERAGE },
      'coverage is 50 % (1 of 2 lines), below the minimum of 80 %',
    ],
    [
      'coverage above the minimum is green, and the file may be written',
      `mkdir out; printf '${LCOV(1)}' >out/lcov.info`,
      { coverage: COVERAGE, allowedWrites: [] },
      'passed',
    ],
    [
      'coverage of the work does not count',
      'true',
      { coverage: COVERAGE },
      'it wrote no out/lcov.info',
      `mkdir out; printf '${LCOV(1)}' >out/lcov.info`,
    ],
    [
      'coverage of the work does not count behind a link',
      'true',
      { coverage: COVERAGE },
      'it wrote no out/lcov.info',
      `mkdir real; printf '${LCOV(1)}' >real/lcov.info; ln -s real out`,
    ],
    [
      'a link in place of the coverage does not count',
      'mkdir out; printf x >real; ln -s ../real out/lcov.info',
      { coverage: COVERAGE },
      'its out/lcov.info is no plain file in a plain folder',
    ],
    [
      'changed lines have a minimum of their own',
      `mkdir out; printf 'SF:a\\nDA:1,1\\nSF:new\\nDA:1,0\\n' >out/lcov.info`,
      { coverage: { ...COVERAGE, min: 10, changedMin: 60 } },
      'coverage of the changed lines is 0 % (0 of 1 line), below the minimum of 60 %',
      'echo 1 >new',
    ],
  ];
  for (const [why, script, gate, end, work = 'echo 2 >b'] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      await using harness = await GateHarness.create('echo 1 >a', work);
      const { outcome } = await harness.judge(['sh', '-c', script], gate);
      assert.equal(describeEnd(outcome), end);
    });

  test('the record opens at the first failed test, with paths of the project', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >b');
    const script = `echo '${JUNIT}' >r.xml; exit 1`;
    const { outcome } = await harness.judge(['sh', '-c', script], { report: 'r.xml' });
    assert.deepEqual(outcome.kind === 'failed' && outcome.failures, [
      { name: 'cart › adds', file: 'cart.js', line: 4, message: '3 is not 4' },
    ]);
  });

  test('a test file that cannot be loaded is named by its path in the project', async (t) => {
    if (isMissing(t)) return;
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >b');
    const script = `printf 'TAP version 13\\nnot ok 1 - %s/a.test.js\\n1..1\\n' "$PWD"; exit 1`;
    const { outcome } = await harness.judge(['sh', '-c', script], {});
    assert.deepEqual(outcome.kind === 'failed' && outcome.failures, [{ name: 'a.test.js' }]);
  });

  test('without a sandbox, a file has to be another one after the gate', async () => {
    await using harness = await GateHarness.create('echo "<testsuite/>" >r.xml');
    const judge = async (script: string): Promise<string> => {
      const options = { report: 'r.xml', unsafe: true };
      return describeEnd((await harness.judge(['sh', '-c', script], options)).outcome);
    };
    assert.deepEqual(
      [await judge('true'), await judge('echo "<testsuite></testsuite>" >r.xml')],
      ['it wrote no r.xml', 'passed'],
    );
  });
});
