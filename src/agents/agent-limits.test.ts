/** Whether somebody may begin a turn is looked up before it begins. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultSettings } from '../settings/settings.ts';
import type { Signal } from '../protocol/event.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed, START_MS } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import { availabilityInput } from './agent-cooldown.ts';

const HOUR = 3_600_000;
const MAX = defaultSettings.recovery.waitMaxMs;
const LONG = START_MS + 1000 * HOUR;
const TOO_LONG = `asks: ada is limited until ${new Date(LONG).toISOString()}, which is longer than it may wait: others were limited`;
const live = (life: number): Signal => ({ kind: 'live', life });

describe('an agent whose identity rests', () => {
  const cases: [why: string, AgentScript, told: readonly string[]][] = [
    [
      'waits until then, and no turn is begun for nothing',
      { turns: ['DONE'], cooling: [START_MS + HOUR] },
      ['rests until 3600 s', 'turn', 'exit normal', 'unverified: DONE'],
    ],
    [
      'before every turn, and not only before the first',
      { turns: ['a', 'open'], cooling: [null, START_MS + HOUR] },
      ['turn', 'rests until 3600 s', 'turn in s'],
    ],
    [
      'looks again afterwards, since others may have been limited meanwhile',
      { turns: ['open'], cooling: [START_MS + HOUR, START_MS + 2 * HOUR] },
      ['rests until 3600 s', 'rests until 7200 s', 'turn'],
    ],
    [
      'asks a person where that is longer than it may wait, and is taken at their word',
      { turns: ['open'], cooling: [LONG, LONG], answers: ['continue'] },
      [TOO_LONG, 'turn'],
    ],
    [
      'waits so long in all, however often it is told to wait',
      { turns: ['open'], cooling: [MAX / 2, MAX, MAX + HOUR].map((ms) => START_MS + ms) },
      [
        ...[`rests until ${MAX / 2000} s`, `rests until ${MAX / 1000} s`],
        `asks: ada is limited until ${new Date(START_MS + MAX + HOUR).toISOString()}, which is longer than it may wait: others were limited`,
      ],
    ],
    [
      'looks anew in another life',
      {
        turns: [failed('crashed'), 'open'],
        cooling: [null, START_MS + HOUR],
        later: [live(2)],
      },
      ['turn', 'exit failed: crashed: crashed', 'rests until 3600 s', 'turn'],
    ],
    ['that is over already does not', { turns: ['open'], cooling: [START_MS - 1] }, ['turn']],
  ];
  for (const [why, script, told] of cases)
    test(why, () => assert.deepEqual(driveAgent(script).told, told));

  /** It rests until an hour from now. */
  function resting(): AgentProgramHarness {
    const harness = new AgentProgramHarness({});
    harness.happen({ kind: 'says', signal: live(1) });
    harness.advance();
    const { agents } = availabilityInput(harness.state);
    const until = new Date(HOUR).toISOString();
    const cooling = [{ identity: agents[0]?.identity ?? '', until, reason: 'HTTP 429' }];
    harness.happen({ ...BLANK, nth: 0, other: { cooling } });
    harness.advance();
    return harness;
  }

  const BLANK = { kind: 'ends', how: 'done', outcome: failed('crashed'), answer: '' } as const;

  test('hears of a message when it goes on', () => {
    const { told, heard } = driveAgent({
      turns: ['open'],
      cooling: [START_MS + HOUR],
      says: { 'cooling-1': [{ kind: 'message', from: null, text: 'hello there' }] },
    });
    assert.deepEqual(told, ['rests until 3600 s', 'turn']);
    assert.match(heard[0] ?? '', /hello there/);
  });

  test('begins at once when somebody says that it need not wait', () => {
    const harness = resting();
    harness.write({
      type: 'command.ended',
      payload: { key: 'cooling-1', end: { kind: 'done', result: { skipped: true } } },
    });
    harness.advance();
    assert.deepEqual(harness.begun, ['survey', 'wait', 'attempt']);
  });

  test('goes on though nobody could look', () => {
    for (const how of ['done', 'defect'] as const) {
      const harness = new AgentProgramHarness({});
      harness.happen({ kind: 'says', signal: live(1) });
      harness.advance();
      harness.happen({ ...BLANK, how, nth: 0, other: {} });
      harness.advance();
      assert.deepEqual(harness.begun, ['survey', 'attempt']);
    }
  });
});
