/**
 * Gates of Python, Go and Rust projects in a real sandbox: their tests are counted there as well.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import { firstThatWorks } from '../support/run-reported.ts';
import { GateHarness } from './gate-harness.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';

const { tools } = probeFacts(process.env);
/** Visible in a sandbox without a grant: programs of the system. */
const PYTHON = '/usr/bin/python3';

type Row = {
  readonly runner: string;
  readonly command: readonly string[];
  /** Exits with 0 if its tests can run. */
  readonly probe: readonly string[];
  readonly base: string;
  /** How the work ends the test runner, and why the gate is red then. */
  readonly bypasses: readonly (readonly [what: string, work: string, why: RegExp])[];
};

const PY_TESTS = `mkdir tests; touch tests/__init__.py
echo 'def one(): return 1' > product.py
cat > tests/test_a.py <<'X'
import unittest
from product import one
class T(unittest.TestCase):
    def test_one(self): self.assertEqual(one(), 1)
    def test_two(self): pass
    @unittest.skip('later')
    def test_three(self): pass
X`;
const PY_BYPASSES: Row['bypasses'] = [
  ['at its import', 'printf "import os\\nos._exit(0)\\n" > product.py', /ended early/],
  [
    'when it is over',
    'printf "import atexit, os\\natexit.register(lambda: os._exit(0))\\ndef one(): return 2\\n" > product.py',
    /1 test of \w+ failed/,
  ],
];

const ROWS: readonly Row[] = [
  {
    runner: 'pytest',
    command: [PYTHON, '-m', 'pytest', '-q'],
    probe: [PYTHON, '-m', 'pytest', '--version'],
    base: PY_TESTS,
    bypasses: [
      ...PY_BYPASSES,
      [
        'by an exit code that a hook sets',
        `cat > product.py <<'X'
import gc
def one():
    for session in gc.get_objects():
        if type(session).__name__ == 'Session' and hasattr(session, 'exitstatus'):
            type(session).exitstatus = property(lambda self: 0, lambda self, value: None)
    return 2
X`,
        /1 test of pytest failed/,
      ],
    ],
  },
  {
    runner: 'unittest',
    command: [PYTHON, '-m', 'unittest', 'discover'],
    probe: [PYTHON, '--version'],
    base: PY_TESTS,
    bypasses: PY_BYPASSES,
  },
  {
    runner: 'go test',
    command: ['/usr/bin/go', 'test', './...'],
    probe: ['/usr/bin/go', 'version'],
    base: `printf 'module example.com/m\\n\\ngo 1.19\\n' > go.mod
printf 'package m\\n\\nfunc One() int { return 1 }\\n' > one.go
cat > one_test.go <<'X'
package m

import "testing"

func TestOne(t *testing.T) {
	if One() != 1 {
		t.Fatal("no")
	}
}
func TestTwo(t *testing.T) {}
func TestThree(t *testing.T) { t.Skip("later") }
X`,
    bypasses: [
      [
        'before its tests',
        `printf 'package m\\n\\nimport "os"\\n\\nfunc init() { os.Exit(0) }\\nfunc One() int { return 2 }\\n' > one.go`,
        /ended early: 0 of 3 tests reported/,
      ],
      [
        'in a test',
        `printf 'package m\\n\\nimport "syscall"\\n\\nfunc One() int { syscall.Exit(0); return 2 }\\n' > one.go`,
        /ended early: 0 of 3 tests reported/,
      ],
    ],
  },
  {
    runner: 'cargo test',
    command: ['/usr/bin/cargo', 'test', '--offline'],
    probe: ['/usr/bin/cargo', '--version'],
    base: `printf '[package]\\nname = "m"\\nversion = "0.1.0"\\nedition = "2021"\\n' > Cargo.toml
mkdir src tests; echo 'pub fn one() -> i32 { 1 }' > src/lib.rs
cat > tests/one.rs <<'X'
#[test]
fn one() { assert_eq!(m::one(), 1); }
#[test]
fn two() {}
#[test]
#[ignore]
fn three() {}
X`,
    bypasses: [
      [
        'in a test',
        `echo 'pub fn one() -> i32 { std::process::exit(0) }' > src/lib.rs`,
        /ended early: 0 of 3 tests reported/,
      ],
    ],
  },
];

function reportedBy(outcome: GateOutcome): string {
  return outcome.kind === 'failed' ? (outcome.reported ?? []).join('; ') : outcome.kind;
}

for (const { runner, command, probe, base, bypasses } of ROWS) {
  const missing = [
    ...(tools.bwrap === undefined ? ['bubblewrap'] : []),
    ...(firstThatWorks([probe]) === undefined ? [probe.join(' ')] : []),
  ];
  const skip =
    missing.length > 0 && process.env['CI'] === undefined
      ? `missing: ${missing.join(', ')}`
      : false;
  describe(`a gate that runs ${runner}`, { timeout: 600_000, skip }, () => {
    test('is green with its tests counted', async () => {
      await using harness = await GateHarness.create(base, 'echo > notes');
      const { outcome, output } = await harness.judge(command, { timeoutMs: 300_000 });
      assert.equal(outcome.kind, 'passed', JSON.stringify(outcome) + output);
      assert.deepEqual('counted' in outcome ? outcome.counted : undefined, {
        passed: 2,
        failed: 0,
        skipped: 1,
        runners: [runner],
      });
    });

    for (const [what, work, why] of bypasses)
      test(`is red when the code under test ends it ${what}`, async () => {
        await using harness = await GateHarness.create(base, work);
        const { outcome, output } = await harness.judge(command, { timeoutMs: 300_000 });
        assert.match(reportedBy(outcome), why, JSON.stringify(outcome) + output);
      });
  });
}

test('a gate whose runner can not report is not counted, and says why', async (t) => {
  if (tools.bwrap === undefined && process.env['CI'] === undefined)
    return t.skip('missing: bubblewrap');
  await using harness = await GateHarness.create(
    `${PY_TESTS}\necho 'test: ; PYTHONPATH=. ${PYTHON} -m unittest' > Makefile`,
    'echo > notes',
  );
  const { outcome } = await harness.judge(['make', 'test']);
  const why = 'the command sets PYTHONPATH, which would load the reporter';
  assert.equal('notCounted' in outcome && outcome.notCounted, why, JSON.stringify(outcome));
});
