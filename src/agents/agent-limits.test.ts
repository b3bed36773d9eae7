/** Before each turn, the agent checks whether its identity is cooling down. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultSettings } from '../settings/settings.ts';
import type { Signal } from '../protocol/signal.ts';
import { AgentProgramHarness } from '../../test/support/agent-program-harness.ts';
import { failed, START_MS } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';
import { availabilityInput } from './agent-cooldown.ts';
import { runEvent } from '../../test/support/run-event.ts';

const HOUR = 3_600_000;
const MAX = defaultSettings.recovery.waitMaxMs;
const LONG = START_MS + 1000 * HOUR;
const TOO_LONG = `asks: ada is limited until ${new Date(LONG).toISOString()}, which is longer than it may wait: others were limited`;
const live = (life: number): Signal => ({ kind: 'start-life', life });

describe('an agent whose identity is cooling down', () => {
  const cases: [why: string, AgentScript, expected: readonly string[]][] = [
    [
      'waits until the reset, and starts no turn before',
      { turns: ['DONE'], cooling: [START_MS + HOUR] },
      ['rests until 3600 s', 'turn', 'exit normal', 'unverified: DONE'],
    ],
    [
      'waits before every turn, and not only before the first',
      { turns: ['a', 'open'], cooling: [null, START_MS + HOUR] },
      ['turn', 'rests until 3600 s', 'turn in s'],
    ],
    [
      'checks again afterwards, because other runs may have hit a limit',
      { turns: ['open'], cooling: [START_MS + HOUR, START_MS + 2 * HOUR] },
      ['rests until 3600 s', 'rests until 7200 s', 'turn'],
    ],
    [
      'asks a person if the wait is too long, and follows the answer',
      { turns: ['open'], cooling: [LONG, LONG], answers: ['continue'] },
      [TOO_LONG, 'turn'],
    ],
    [
      'waits for a bounded time in total, however many limits follow',
      { turns: ['open'], cooling: [MAX / 2, MAX, MAX + HOUR].map((ms) => START_MS + ms) },
      [
        ...[`rests until ${MAX / 2000} s`, `rests until ${MAX / 1000} s`],
        `asks: ada is limited until ${new Date(START_MS + MAX + HOUR).toISOString()}, which is longer than it may wait: others were limited`,
      ],
    ],
    [
      'checks again in another life',
      {
        turns: [failed('crashed'), 'open'],
        cooling: [null, START_MS + HOUR],
        later: [live(2)],
      },
      ['turn', 'exit failed: crashed: crashed', 'rests until 3600 s', 'turn'],
    ],
    [
      'starts at once if the cooldown is over',
      { turns: ['open'], cooling: [START_MS - 1] },
      ['turn'],
    ],
  ];
  for (const [why, script, expected] of cases)
    test(why, () => assert.deepEqual(driveAgent(script).trace, expected));

  /** The identity cools down for an hour. */
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

  test('receives a message when it continues', () => {
    const { trace, prompts } = driveAgent({
      turns: ['open'],
      cooling: [START_MS + HOUR],
      says: { 'wait-1': [{ kind: 'message', from: null, text: 'hello there' }] },
    });
    assert.deepEqual(trace, ['rests until 3600 s', 'turn']);
    assert.match(prompts[0] ?? '', /hello there/);
  });

  test('starts at once when a person skips the wait', () => {
    const harness = resting();
    harness.write(
      runEvent({
        type: 'command.ended',
        payload: { key: 'wait-1', end: { kind: 'done', result: { skipped: true } } },
      }),
    );
    harness.advance();
    assert.deepEqual(harness.begun, ['check-availability', 'wait', 'attempt']);
  });

  test('continues if the check fails', () => {
    for (const how of ['done', 'defect'] as const) {
      const harness = new AgentProgramHarness({});
      harness.happen({ kind: 'says', signal: live(1) });
      harness.advance();
      harness.happen({ ...BLANK, how, nth: 0, other: {} });
      harness.advance();
      assert.deepEqual(harness.begun, ['check-availability', 'attempt']);
    }
  });
});
