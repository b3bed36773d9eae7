/** Our reporters count the tests of a gate, through a socket into its sandbox. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { probeFacts } from '../../src/sandbox/probe-facts.ts';
import type { GateOutcome } from '../../src/protocol/contracts/gate-contract.ts';
import { GateHarness } from './gate-harness.ts';

const { tools } = probeFacts(process.env);
const missing = tools.bwrap === undefined ? { skip: 'bubblewrap is not here' } : {};

const SUITE = `mkdir test
cat > code.mjs <<'X'
export const one = () => 1;
X
cat > test/a.test.mjs <<'X'
import assert from 'node:assert';
import { test } from 'node:test';
import { one } from '../code.mjs';
test('one', () => assert.equal(one(), 1));
test('two', () => {});
X
echo '{ "scripts": { "test": "node --test test/a.test.mjs" } }' > package.json`;

const reported = (outcome: GateOutcome): string =>
  outcome.kind === 'failed' ? (outcome.reported ?? []).join('; ') : outcome.kind;

describe('a gate that runs node:test', { timeout: 300_000, ...missing }, () => {
  test('is green with its tests counted', async () => {
    await using harness = await GateHarness.create(SUITE, 'echo >> code.mjs');
    const { outcome } = await harness.judge(['npm', 'test']);
    assert.equal(outcome.kind, 'passed', JSON.stringify(outcome));
    assert.deepEqual('counted' in outcome ? outcome.counted : undefined, {
      passed: 2,
      failed: 0,
      skipped: 0,
      runners: ['node:test'],
    });
  });

  test('is red when the code under test ends its process with exit code 0', async () => {
    await using harness = await GateHarness.create(SUITE, 'echo "process.exit(0);" >> code.mjs');
    const { outcome } = await harness.judge(['npm', 'test']);
    assert.equal(
      reported(outcome),
      'the test run of node:test ended early: 0 tests reported; if its tests ran, set count: false for this gate',
    );
  });

  test('is red when node runs a test file directly and that ends early', async () => {
    await using harness = await GateHarness.create(SUITE, 'echo "process.exit(0);" >> code.mjs');
    const { outcome } = await harness.judge(['node', 'test/a.test.mjs']);
    assert.match(reported(outcome), /ended early/);
  });

  test('is not counted if the gate says so, and the exit code decides', async () => {
    await using harness = await GateHarness.create(SUITE, 'echo "process.exit(0);" >> code.mjs');
    const { outcome } = await harness.judge(['npm', 'test'], { count: false });
    assert.equal(outcome.kind, 'passed');
    assert.equal('notCounted' in outcome && outcome.notCounted, 'the gate says count: false');
  });

  test('is red when no reporter answers though the command starts the runner', async () => {
    await using harness = await GateHarness.create(SUITE, 'echo >> code.mjs');
    const line = 'unset NODE_OPTIONS SUPERVISOR_TEST_REPORTS; node --test test/a.test.mjs';
    const { outcome } = await harness.judge(['sh', '-c', line]);
    assert.equal(
      reported(outcome),
      'node:test reported nothing, though the command starts it; if its tests ran, set count: false for this gate',
    );
  });
});

test('a gate that starts no test runner has nothing to count', missing, async () => {
  await using harness = await GateHarness.create('echo 1 > a', 'echo 2 > a');
  const { outcome } = await harness.judge(['true']);
  assert.deepEqual(outcome, { kind: 'passed', name: 'check' });
});

test('a gate on a runner without a reporter says that nothing was counted', missing, async () => {
  const suite = 'mkdir bin; printf "#!/bin/sh\\n" > bin/rspec; chmod +x bin/rspec; echo 1 > a';
  await using harness = await GateHarness.create(suite, 'echo 2 > a');
  const { outcome } = await harness.judge(['sh', '-c', 'PATH=$PWD/bin:$PATH rspec']);
  assert.equal(outcome.kind, 'passed');
  assert.equal(
    'notCounted' in outcome && outcome.notCounted,
    'Supervisor has no reporter for rspec',
  );
});
