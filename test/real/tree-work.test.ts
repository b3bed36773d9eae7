/** Bad work of real agents: claimed as done but not done, too expensive, or wrong. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Part } from './tree-parts.ts';
import { DONE, leaves, WAITS } from './tree-parts.ts';
import { AT_ONCE, TreeHarness } from './tree-harness.ts';
import { isMissing, shellCall } from './sandboxed-clis.ts';

const TIMEOUT_MS = 900_000;

/**
 * First it makes no claim, then it makes a false claim, twice. When the check fails again, it fixes
 * the work.
 */
const liar: Part = ({ times, step }) => {
  if (times === 1) return { text: 'I see no way.\nABANDONED' };
  if (times === 3) return DONE;
  const answer = times === 2 ? 'wrong' : 'right';
  return step === 0 ? { calls: [shellCall('codex', `echo ${answer} >answer.txt`)] } : DONE;
};

/** It spends until its budget is used up. */
const spender: Part = ({ prompt }) =>
  prompt.includes('Your budget was raised')
    ? DONE
    : { calls: [shellCall('codex', 'echo x >>diary')] };

test(
  'done that is not done, a spent budget, and a wrong changeset',
  { timeout: TIMEOUT_MS },
  async (t) => {
    if (isMissing(t, 'claude', 'codex')) return;
    const models = ['claude-haiku-4-5', 'claude-opus-4-8'];
    const wren = { name: 'wren', assignment: 'Mend it.', agent: 'claude', restart: AT_ONCE };
    await using harness = await TreeHarness.create([{ ...wren, model: models[0], models }], {
      dora: liar,
      bob: spender,
      wren: leaves('claude', WAITS),
    });
    await harness.run('up', '--detach');
    const commit = 'the answer is right=grep -q right answer.txt';
    await harness.run(
      'spawn',
      'Answer.',
      '--name',
      'dora',
      '--agent',
      'codex',
      '--commitment',
      commit,
    );
    const budget = ['--budget-usd', '0.15'];
    await harness.run('spawn', 'Spend.', '--name', 'bob', '--agent', 'codex', ...budget);

    // Only a person gives money, so no other agent gets the work.
    const [asked] = await harness.asked('bob');
    assert.deepEqual([asked?.choices, asked?.over?.limit], [['continue', 'stop'], 'usd']);
    assert.equal((await harness.view('bob')).state, 'waiting-input');
    await harness.run('answer', asked?.run ?? '', 'continue', '--budget-usd', '5');
    const bob = await harness.ended('bob');
    assert.deepEqual([bob.outcome?.kind, bob.life], ['unverified', 1]);
    assert.deepEqual(await harness.ends('bob'), ['budget', 'completed']);
    const [first, second] = await harness.turns('bob');
    assert.deepEqual([first?.agent.id, second?.agent.id], ['codex', 'codex']);
    assert.deepEqual([second?.resume], await harness.sessions('bob'));

    // Rejected work restarts from a clean tree, with the next model, whose prompt gives the reason.
    await harness.becomes('wren', 'waiting-wakeup');
    await harness.run('reject', 'wren', 'the tests were deleted');
    await harness.becomes('wren', 'waiting-wakeup', 2);
    assert.deepEqual(await harness.diary('wren'), ['fresh']);
    assert.deepEqual([...new Set(harness.calls('wren').map(({ model }) => model))], models);
    const again = (await harness.turns('wren')).at(-1);
    assert.deepEqual([again?.resume, again?.tree], [null, 2]);
    assert.match(again?.prompt ?? '', /You were restarted due to: .* the tests were deleted/);
    assert.deepEqual(await harness.signals('wren'), ['start-life', 'trigger', 'start-life']);

    // "ABANDONED" is not checked. Each "done" is checked in full, and the third one holds.
    const dora = await harness.ended('dora');
    assert.equal(dora.outcome?.kind, 'succeeded');
    assert.deepEqual(await harness.steps('dora'), [
      ...['attempt completed', 'attempt completed', 'gate failed'],
      ...['attempt completed', 'gate failed', 'attempt completed', 'gate passed'],
    ]);
    assert.match(
      (await harness.turns('dora'))[2]?.resumePrompt ?? '',
      /^You reported that you are done/,
    );
    assert.match(await harness.run('tree'), /dora +done .* succeeded: All of it is there\. DONE\n/);
    assert.deepEqual((await harness.lines()).toSorted(), [
      'bob done, life 1 ↻0',
      'dora done, life 1 ↻0',
      'wren waiting_wakeup, life 2 ↻1',
    ]);
  },
);
