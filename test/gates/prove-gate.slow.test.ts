/** Gates that prove themselves with mutants, and gates that protect files, in real projects of node:test and pytest. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import type { GateInput, GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';
import { GateHarness } from './gate-harness.ts';

const TIMEOUT = { timeout: 300_000 };

function isMissing(t: TestContext, needsPytest = false): boolean {
  const missing = [
    ...(which('bwrap', process.env) === undefined ? ['bubblewrap'] : []),
    ...(needsPytest && !hasPytest() ? ['pytest for the programs of the system'] : []),
  ];
  if (missing.length === 0) return false;
  if (process.env['CI'] !== undefined) assert.fail(`missing: ${missing.join(', ')}`);
  t.skip(`missing: ${missing.join(', ')}`);
  return true;
}

/** In the sandbox, only the programs of the system are found. */
function hasPytest(): boolean {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  return spawnSync('python3', ['-m', 'pytest', '--version'], { env }).status === 0;
}

function describeEnd(outcome: GateOutcome): string {
  if (outcome.kind === 'unable') return outcome.why;
  const { kind, proof } = outcome;
  return `${kind}${proof === undefined ? '' : `, ${proof.kind}`}`;
}

const NODE_BASE = `
printf '{"type":"module"}' >package.json
printf 'export const add = (a, b) => a + b;\n' >cart.js
mkdir test
`;
const REAL_TEST = `printf "import {test} from 'node:test';\nimport assert from 'node:assert';\nimport {add} from '../cart.js';\ntest('adds', () => assert.equal(add(1, 2), 3));\n" >test/cart.test.js`;
const EMPTY_TEST = `printf "import {test} from 'node:test';\nimport '../cart.js';\ntest('adds', () => {});\n" >test/cart.test.js`;
const WORK = String.raw`printf 'export const add = (a, b) => {
  if (a === 0) return b;
  return a + b;
};
' >cart.js`;
const NODE = ['node', '--test', 'test/cart.test.js'];

type Case = readonly [
  why: string,
  base: string,
  work: string,
  gate: Partial<GateInput>,
  expected: string,
];

describe('a gate on node:test with prove', TIMEOUT, () => {
  const cases: readonly Case[] = [
    ['notices a mutant', NODE_BASE + REAL_TEST, WORK, { prove: 'report' }, 'passed, seeing'],
    [
      'is blind if it tests nothing',
      NODE_BASE + EMPTY_TEST,
      WORK,
      { prove: 'report' },
      'passed, blind',
    ],
    [
      'is red if it is blind and has to see',
      NODE_BASE + EMPTY_TEST,
      WORK,
      { prove: 'block' },
      'failed, blind',
    ],
    [
      'is green if it sees and has to',
      NODE_BASE + REAL_TEST,
      WORK,
      { prove: 'block' },
      'passed, seeing',
    ],
    [
      'does not apply to a change without code',
      NODE_BASE + EMPTY_TEST,
      'echo text >README.md',
      { prove: 'block' },
      'passed, not-applicable',
    ],
    [
      'does not apply to a change of tests alone',
      NODE_BASE + EMPTY_TEST,
      'echo "const a = 1 < 2;" >test/helper.js',
      { prove: 'block' },
      'passed, not-applicable',
    ],
    [
      'sees with the new tests of the work, too',
      NODE_BASE + EMPTY_TEST,
      `${WORK}\n${REAL_TEST.replace('cart.test.js', 'new.test.js')}`,
      { prove: 'block', command: ['node', '--test'] },
      'passed, seeing',
    ],
    ['tries nothing by default', NODE_BASE + EMPTY_TEST, WORK, {}, 'passed'],
  ];
  for (const [why, base, work, gate, expected] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      await using harness = await GateHarness.create(base, work);
      const { outcome } = await harness.judge(NODE, gate);
      assert.equal(describeEnd(outcome), expected, JSON.stringify(outcome));
    });
});

const PYTHON_BASE = String.raw`
printf 'def add(a, b):
    return a + b
' >cart.py
mkdir tests
`;
const PYTHON_WORK = String.raw`printf 'def add(a, b):
    if a == 0:
        return b
    return a + b
' >cart.py`;
const PYTEST = ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'];

describe('a gate on pytest with prove', TIMEOUT, () => {
  const cases: readonly (readonly [why: string, body: string, expected: string])[] = [
    ['notices a mutant', 'assert add(0, 2) == 2 and add(1, 2) == 3', 'passed, seeing'],
    ['is blind if it tests nothing', 'assert add', 'passed, blind'],
  ];
  for (const [why, body, expected] of cases)
    test(why, async (t) => {
      if (isMissing(t, true)) return;
      const tests = String.raw`printf 'from cart import add


def test_adds():
    ${body}
' >tests/test_cart.py`;
      await using harness = await GateHarness.create(`${PYTHON_BASE}${tests}`, PYTHON_WORK);
      const { outcome } = await harness.judge(PYTEST, { prove: 'report' });
      assert.equal(describeEnd(outcome), expected, JSON.stringify(outcome));
    });
});

describe('a gate that protects files', TIMEOUT, () => {
  const CI = 'mkdir -p .github/workflows; echo "on: push" >.github/workflows/ci.yml';
  const cases: readonly (readonly [why: string, work: string, gate: Partial<GateInput>, string])[] =
    [
      ['lists a CI file', CI, {}, 'passed: .github/workflows/ci.yml'],
      [
        'ends the run for a CI file',
        CI,
        { protect: 'block' },
        'failed, blocks: .github/workflows/ci.yml',
      ],
      [
        'ends the run for a setting of Supervisor',
        'mkdir .supervisor; echo 1 >.supervisor/config.yaml',
        { protect: 'block' },
        'failed, blocks: .supervisor/config.yaml',
      ],
      [
        'ends the run for a test',
        'echo 2 >test/a.test.js',
        { protect: 'block' },
        'failed, blocks: ',
      ],
      [
        'lets a task about tests change them',
        'echo 2 >test/a.test.js',
        { protect: 'block', testsMayChange: true },
        'passed: ',
      ],
      ['lets other files change', 'echo 2 >a', { protect: 'block' }, 'passed: '],
    ];
  for (const [why, work, gate, expected] of cases)
    test(why, async (t) => {
      if (isMissing(t)) return;
      await using harness = await GateHarness.create(
        'mkdir test; echo 1 >test/a.test.js; echo 1 >a',
        work,
      );
      const { outcome } = await harness.judge(['true'], gate);
      assert.ok(outcome.kind !== 'unable');
      const blocks = outcome.kind === 'failed' && outcome.blocks === true ? ', blocks' : '';
      const paths = (outcome.protectedFiles ?? []).map(({ path }) => path).join(', ');
      assert.equal(`${outcome.kind}${blocks}: ${paths}`, expected);
    });

  test('says what the tests of the base find if changed tests count', async (t) => {
    if (isMissing(t)) return;
    const work = `${WORK.replace('a + b', 'a - b')}\n${REAL_TEST.replace('1, 2), 3', '1, 2), -1')}`;
    await using harness = await GateHarness.create(NODE_BASE + REAL_TEST, work);
    const { outcome } = await harness.judge(NODE, { testsMayChange: true });
    assert.ok(outcome.kind === 'passed', JSON.stringify(outcome));
    assert.match(outcome.baseTestsRed ?? '', /^gate check failed: .*adds/);
  });
});
