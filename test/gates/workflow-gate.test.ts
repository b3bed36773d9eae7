/** Gates on the work of a workflow, which several runs have made one after another. */
import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { GateHarness } from './gate-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

const LATER = 'b000000000';

describe('a gate on the work of a workflow', { skip, timeout: 300_000 }, () => {
  test('judges the named work, with what earlier steps did, and not the project', async () => {
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >b');
    const work = await harness.nextStep(LATER, 'echo 3 >c');
    await writeFile(join(harness.project, 'a'), 'edited');
    const script = 'test "$(cat a b c | tr "\\n" " ")" = "1 2 3 "';
    const kept = { kind: 'in-project' } as const;
    const { outcome, notes } = await harness.judge(['sh', '-c', script], { kept, work });
    assert.deepEqual(outcome, { kind: 'passed', name: 'check' });
    assert.equal(notes[0]?.['commit'], work.commit);
  });

  test('takes its definition from the base, whichever step changed it', async () => {
    const base = 'printf "exit 1\\n" >check.sh';
    await using harness = await GateHarness.create(base, 'printf "exit 0\\n" >check.sh');
    const work = await harness.nextStep(LATER, 'echo 3 >c');
    const { outcome } = await harness.judge(['sh', 'check.sh'], { work });
    assert.deepEqual(
      [outcome.kind, 'restored' in outcome && outcome.restored],
      ['failed', ['check.sh']],
    );
  });

  test('keeps what it may write as new work, and only on top of the named work', async () => {
    const base = 'printf "exit 1\\n" >check.sh; echo old >old';
    await using harness = await GateHarness.create(base, 'printf "exit 0\\n" >check.sh');
    const work = await harness.nextStep(LATER, 'echo 3 >c');
    const keeps = { work, keepsWrites: true as const, allowedWrites: ['c', 'docs', 'old'] };
    const script = 'echo 4 >>c; mkdir docs; echo all >docs/index; rm old';
    const { outcome } = await harness.judge(['sh', '-c', script], keeps);
    assert.ok(outcome.kind === 'passed' && outcome.work !== undefined, JSON.stringify(outcome));
    const { names, ...point } = outcome.work;
    assert.deepEqual([...names].toSorted(), ['c', 'check.sh', 'docs/index', 'old']);
    const reads = 'test "$(cat c docs/index | tr "\\n" " ")" = "3 4 all " && test ! -e old';
    const { outcome: next } = await harness.judge(['sh', '-c', reads], { work: point });
    assert.deepEqual(next, { kind: 'passed', name: 'check' });
    const { outcome: red } = await harness.judge(['sh', '-c', 'echo 5 >d'], keeps);
    assert.match(JSON.stringify(red), /it changed files that allowed_writes does not list: d/);
  });

  test('can not run if the work is gone', async () => {
    await using harness = await GateHarness.create('echo 1 >a', 'echo 2 >b');
    const work = { run: 'c000000000', tree: 1, commit: '1'.repeat(40), content: '' };
    const { outcome } = await harness.judge(['true'], { work });
    assert.equal(outcome.kind, 'unable');
  });
});

test('a gate on the work of a workflow runs on a copy of it without a sandbox too', async () => {
  await using harness = await GateHarness.create(
    'printf "exit 1\\n" >check.sh; printf "exit 0\\n" >works.sh',
    'printf "exit 0\\n" >check.sh; echo 2 >b',
  );
  const work = await harness.nextStep(LATER, 'echo 3 >c');
  const unsafe = { work, unsafe: true };
  const script = 'sh works.sh && cat b c && echo 4 >>c';
  const { outcome, output } = await harness.judge(['sh', '-c', script], unsafe);
  const unprotected = ['it ran without a sandbox'];
  const restored = ['check.sh'];
  assert.deepEqual(outcome, { kind: 'passed', name: 'check', unprotected });
  assert.equal(output, '2\n3\n');
  const { outcome: red } = await harness.judge(['sh', 'check.sh'], unsafe);
  const { tail: _, ...rest } = red.kind === 'failed' ? red : { tail: '' };
  assert.deepEqual(rest, { kind: 'failed', name: 'check', exit: 1, restored, unprotected });
  assert.deepEqual((await readdir(harness.project)).toSorted(), ['.git', 'check.sh', 'works.sh']);
});
