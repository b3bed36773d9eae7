import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { describeActive } from './overview.ts';

const RUNNING = runViewFixture();
const ASKING = runViewFixture({ open: [{ key: 'ask-1', command: 'ask', begunAt: 0 }] });

const CASES: readonly (readonly [why: string, runs: readonly RunView[], expected: string])[] = [
  ['none', [], 'No run is active.'],
  ['one', [RUNNING], '1 run is active: supervisor status'],
  ['several', [RUNNING, RUNNING], '2 runs are active: supervisor status'],
  ['one asks', [ASKING], '1 run is active, and 1 needs your answer: supervisor inbox'],
  [
    'two of three ask',
    [ASKING, RUNNING, ASKING],
    '3 runs are active, and 2 need your answer: supervisor inbox',
  ],
];

describe('supervisor alone', () => {
  for (const [why, runs, expected] of CASES)
    it(`says what is active: ${why}`, () => assert.equal(describeActive(runs), expected));

  it('prints the commands of the first hour, what is active, and where the rest is', async () => {
    await using cli = await inProcessCli();
    const { code, out, err } = await cli.say([]);
    assert.deepEqual([code, err], [0, '']);
    const lines = out.split('\n');
    assert.ok(lines.length <= 21 && lines.every(({ length }) => length <= 80), out);
    const commands = out.match(/supervisor [a-z]+/g);
    assert.deepEqual(commands, [
      'supervisor init',
      'supervisor run',
      'supervisor status',
      'supervisor diff',
      'supervisor apply',
      'supervisor doctor',
      'supervisor help',
    ]);
    assert.match(out, /^No run is active\.$/m);
    await cli.say(['run', 'think', '--agent', 'scripted:never-speaks', '--detach']);
    assert.match((await cli.say([])).out, /^1 run is active: supervisor status$/m);
  });
});
