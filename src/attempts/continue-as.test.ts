/** A run that a person resumes with a change: the change holds from its next attempt on. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AttemptsHarness } from '../../test/support/attempts-harness.ts';
import { agent, done, failed, settingsFor } from '../../test/support/drive-attempts.ts';
import { GATES } from '../../test/support/gated-attempts.ts';
import type { AttemptInput, AttemptOutcome } from '../protocol/contracts/attempt-contract.ts';
import type { AttemptSettings } from '../protocol/pinned-settings.ts';
import type { AskedAtResume } from '../protocol/run-submission.ts';
import { ATTEMPTS_PROGRAM } from '../protocol/run-submission.ts';
import { settle } from '../testing/fakes/manual-clock.ts';

type Resumed = {
  readonly task?: string;
  readonly settings?: AttemptSettings;
  readonly resumed?: AskedAtResume;
};

/** The inputs of the attempts that a run makes after it was resumed from before the command with this key. */
async function resumedAttempts(
  outcome: AttemptOutcome,
  settings: AttemptSettings,
  key: string,
  { task = 'the task', settings: later = settings, resumed }: Resumed,
  content?: string,
): Promise<readonly AttemptInput[]> {
  await using stage = new AttemptsHarness();
  stage.content = content;
  await stage.open(outcome);
  const run = await stage.start(settings);
  const before = await stage.facts();
  const begun = before.find((fact) => fact.type === 'command.begun' && fact.payload.key === key);
  assert.ok(begun !== undefined, `there is no ${key}`);
  await stage.engine.fork(run, begun.seq - 1, {
    submission: {
      ...{ program: ATTEMPTS_PROGRAM, task, project: '/app', settings: later },
      ...(resumed === undefined ? {} : { resumed }),
    },
  });
  await settle();
  return (await stage.facts())
    .slice(before.length)
    .flatMap((fact) =>
      fact.type === 'command.begun' && fact.payload.command === 'attempt'
        ? [fact.payload.input]
        : [],
    );
}

const two = settingsFor(['a', 'b']);
const auth = failed('auth');

describe('a resumed run', () => {
  test('repeats its last attempt if nothing is changed', async () => {
    const [first] = await resumedAttempts(auth, two, 'attempt-2', {});
    assert.deepEqual([first?.agent.id, first?.why], ['b', { kind: 'switch', from: 'a' }]);
  });

  test('numbers its attempts after those of the run that it continues', async () => {
    const inputs = await resumedAttempts(auth, two, 'attempt-2', {});
    assert.deepEqual(
      inputs.map(({ number }) => number),
      [3],
    );
    await using stage = new AttemptsHarness();
    await stage.open(auth);
    let run = await stage.start(settingsFor(['a']));
    for (const number of [2, 3]) {
      const before = await stage.facts();
      const begun = before.findLast(
        (fact) => fact.type === 'command.begun' && fact.payload.command === 'attempt',
      );
      run = await stage.engine.fork(run, (begun?.seq ?? 2) - 1);
      await settle();
      const keys = (await stage.facts())
        .slice(before.length)
        .flatMap((fact) => (fact.type === 'command.begun' ? [fact.payload.key] : []));
      // What it knows about its agents is as old as the run that it continues, so it asks again.
      const check = `check-availability-${number}`;
      assert.deepEqual(keys, [check, `attempt-${number}`, 'finalize-1']);
    }
  });

  test('that is stopped names the attempt by that number', async () => {
    await using stage = new AttemptsHarness();
    await stage.open();
    const run = await stage.start(settingsFor(['a']));
    await stage.signal(run, 'stop');
    const begun = (await stage.facts()).find(
      (fact) => fact.type === 'command.begun' && fact.payload.command === 'attempt',
    );
    const fork = await stage.engine.fork(run, (begun?.seq ?? 2) - 1);
    await settle();
    await stage.signal(fork, 'stop');
    assert.equal(
      (await stage.engine.get(fork))?.outcome?.reason,
      'stopped by the user during attempt 2',
    );
  });

  test('has the deadline and the task that it is resumed with', async () => {
    const settings = settingsFor(['a', 'b'], {}, { deadlineMs: 7_200_000 });
    const [first] = await resumedAttempts(auth, two, 'attempt-2', {
      settings,
      task: 'the task\n\nplus',
    });
    assert.equal(first?.deadlineMs, 7_200_000);
    assert.ok(first.prompt.endsWith('the task\n\nplus'));
  });

  test('begins with the agent that a person named, even if that has failed before', async () => {
    const resumed = { agent: 'a' };
    const inputs = await resumedAttempts(auth, two, 'attempt-2', { resumed });
    assert.deepEqual(
      inputs.map((input) => [input.agent.id, input.why.kind]),
      [
        ['a', 'named'],
        ['b', 'switch'],
      ],
    );
  });

  test('begins with a new agent that a person named, and with the others after it', async () => {
    const chain = [agent('c'), ...(two.chain ?? [])];
    const settings = { ...two, agent: agent('c'), chain };
    const inputs = await resumedAttempts(auth, two, 'attempt-2', {
      settings,
      resumed: { agent: 'c' },
    });
    assert.deepEqual(
      inputs.map((input) => input.agent.id),
      ['c', 'b'],
    );
  });

  test('begins a new conversation, because its home has none, with what a person added', async () => {
    const asks = failed('needs_input', { session: 's' });
    const resumed = { message: 'Use port 80.' };
    const task = 'the task\n\nUse port 80.';
    const [first] = await resumedAttempts(asks, settingsFor(['a']), 'attempt-2', { resumed, task });
    assert.deepEqual([first?.why.kind, first?.resume], ['unattended', null]);
    assert.match(first?.prompt ?? '', /No person is available[^]*the task\n\nUse port 80\.$/);
  });

  const retries: [
    why: string,
    message: string | undefined,
    content: string | undefined,
    of: string[],
  ][] = [
    ['has the one that is left if nothing is said', undefined, undefined, ['3/3']],
    ['has them all again after a message', 'Use port 80.', undefined, ['1/3', '2/3', '3/3']],
    ['changes no file, and has two again after a message', 'Look.', 'same', ['1/3', '2/3']],
  ];
  for (const [why, message, content, expected] of retries)
    test(`with a red gate ${why}`, async () => {
      const settings = settingsFor(['a'], {}, { gates: GATES.slice(0, 1) });
      const resumed = message === undefined ? {} : { resumed: { message } };
      const key = content === undefined ? 'attempt-4' : 'attempt-2';
      const inputs = await resumedAttempts(done, settings, key, resumed, content);
      assert.deepEqual(
        inputs.map((input) => input.why.kind === 'gate' && `${input.why.nth}/${input.why.of}`),
        expected,
      );
    });

  test('continues after a spent budget if it is resumed with another one', async () => {
    const spent = failed('budget', { session: 's' });
    const settings = settingsFor(['a']);
    const run = { ...settings.budget.run, usd: 9 };
    const raised = { ...settings, budget: { ...settings.budget, run } };
    assert.deepEqual(await resumedAttempts(spent, settings, 'ask-1', {}), []);
    const [first] = await resumedAttempts(spent, settings, 'ask-1', { settings: raised });
    assert.deepEqual([first?.resume, first?.budget.run.usd], [null, 9]);
  });
});
