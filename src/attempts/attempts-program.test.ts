import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../base/clock.ts';
import type { NewRunEvent } from '../protocol/event.ts';
import type { AttemptsSubmission } from '../protocol/run-submission.ts';
import { EVENT_VERSION } from '../protocol/event.ts';
import { REASON_MAX, RunOutcome } from '../protocol/outcome.ts';
import type { DrivenRunTrace } from '../../test/support/drive-attempts.ts';
import { agent, done, driveAttempts, settingsFor } from '../../test/support/drive-attempts.ts';
import { drivenTable } from '../../test/support/driven-table.ts';
import { attemptsProgram } from './attempts-program.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import { runEvent } from '../../test/support/run-event.ts';

drivenTable('one task through its agents', [
  ['availability is checked, then an agent begins', { attempts: ['open'] }, ['looks', 'a']],
  [
    'completed work is unverified if no gate checked it',
    { attempts: [done] },
    ['looks', 'a', 'unverified: done'],
  ],
  [
    'the same agent repeats an interrupted attempt',
    { settings: settingsFor(['a', 'b']), attempts: ['interrupted', done] },
    ['looks', 'a', 'a at 1 s', 'unverified: done'],
  ],
  [
    'an attempt that is interrupted more often than allowed ends the run',
    { attempts: ['interrupted', 'interrupted', 'interrupted'] },
    [
      'looks',
      'a',
      'a at 1 s',
      'a at 2 s',
      'exhausted: the attempt was interrupted 3 times because the owner ended',
    ],
  ],
  [
    'an interrupted attempt counts as an attempt',
    { settings: settingsFor(['a'], { attemptsMax: 1 }), attempts: ['interrupted'] },
    ['looks', 'a', 'exhausted: the only attempt is used up'],
  ],
  [
    'an availability check that fails does not keep an agent from starting',
    { attempts: [done], withoutCooldowns: true },
    ['looks', 'a', 'unverified: done'],
  ],
]);

test('the slot of a run counts against its project and its identity', () => {
  const capacity = { runsMax: 3, perAgentMax: 1 };
  assert.deepEqual(limitsWith({ capacity }), [
    'attempts',
    { key: 'project:/app', max: 3 },
    { key: 'agent:a::::::m', max: 1, name: 'a' },
  ]);
});

/** The limits of the first attempt. */
function limitsWith(pinned: Partial<AttemptSettings>): readonly unknown[] | undefined {
  const settings = settingsFor(['a']);
  const submission: AttemptsSubmission = {
    program: 'attempts',
    task: 't',
    project: '/app',
    settings: { ...settings, ...pinned, chain: [agent('a', { model: 'm' })] },
  };
  let state = attemptsProgram.start(submission);
  const write = (event: NewRunEvent): void => {
    const stored = { id: 1, stream: 'run/a', seq: 2, v: EVENT_VERSION, at: 0, ...event };
    state = attemptsProgram.fold(state, stored);
  };
  const begun = {
    key: 'check-availability-1',
    command: 'check-availability',
    input: {},
    limits: [],
  };
  write(runEvent({ type: 'command.begun', payload: begun }));
  const result = { at: '', cooling: [], uses: {}, lastFirst: null };
  write(
    runEvent({
      type: 'command.ended',
      payload: { key: 'check-availability-1', end: { kind: 'done', result } },
    }),
  );
  const [move] = attemptsProgram.next(state, at(0), 0);
  return move?.kind === 'perform' ? move.limits : undefined;
}

test('an outcome fits its schema even if the text of the agent is long', () => {
  for (const length of [REASON_MAX, REASON_MAX + 1, 100_000]) {
    const { events }: DrivenRunTrace = driveAttempts({
      attempts: [{ kind: 'completed', summary: 'x'.repeat(length) }],
    });
    const last = events.at(-1);
    const outcome = RunOutcome.parse(last?.type === 'run.ended' ? last.payload.outcome : undefined);
    assert.equal(outcome.reason.length, REASON_MAX);
  }
});
