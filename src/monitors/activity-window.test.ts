import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentActivity } from '../protocol/activity.ts';
import type { HealthPolicy } from '../protocol/agent-rules.ts';
import type { ActivityWindow } from './activity-window.ts';
import {
  emptyWindow,
  isSuspect,
  judgeWindow,
  afterHealthCheck,
  withActivity,
} from './activity-window.ts';

const policy: HealthPolicy = {
  spinCalls: 4,
  onSpin: 'notify',
  inactivity: { afterMs: 60_000, action: 'prod' },
};

/** Letters are calls; `|` is a check with the same tree, `*` one with another tree. Both judge after it. */
function play(done: string): string {
  let watch: ActivityWindow = emptyWindow(0);
  let tree = 0;
  const heard: string[] = [];
  for (const one of done) {
    if (one !== '|' && one !== '*') {
      watch = withActivity(watch, { kind: 'call', call: one }, policy, 0);
      continue;
    }
    if (one === '*') tree += 1;
    if (isSuspect(watch, policy)) watch = afterHealthCheck(watch, `tree ${tree}`, policy, 0);
    const { watch: next, health, reactionCount } = judgeWindow(watch, policy, true, 0);
    watch = next;
    heard.push(reactionCount > 0 ? `${health.kind} ${reactionCount}` : health.kind);
  }
  return heard.join(', ');
}

describe('an agent that repeats the same call', () => {
  const cases: [why: string, done: string, heard: string][] = [
    ['is only suspected at first', 'aaaa|', 'well'],
    ['spins when it continues and its tree is the same', 'aaaa|aa|', 'well, spinning 1'],
    ['is only suspected while it makes no more calls', 'aaaa|||', 'well, well, well'],
    ['is only suspected after too few more calls', 'aaaa|a|', 'well, well'],
    ['makes progress when its tree has changed', 'aaaa|aa*', 'well, well'],
    ['is checked again after progress', 'aaaa|aa*aaaa|aa|', 'well, well, well, spinning 1'],
    ['gets no second reaction at once', 'aaaa|aa|aa|', 'well, spinning 1, spinning'],
    [
      'gets a second reaction after as many calls again',
      'aaaa|aa|aaaa|',
      'well, spinning 1, spinning 2',
    ],
    ['is well once it makes other calls', 'aaaa|aa|bcdefghi|', 'well, spinning 1, well'],
    [
      'starts a new count after other calls',
      'aaaa|aa|bcdefghi|aa|aa|',
      'well, spinning 1, well, well, spinning 1',
    ],
  ];
  for (const [why, done, heard] of cases) test(why, () => assert.equal(play(done), heard));
});

describe('an inactive agent', () => {
  const quiet = (watch: ActivityWindow, nowMs: number): string => {
    const { health, reactionCount } = judgeWindow(watch, policy, true, nowMs);
    return `${health.kind} ${reactionCount}`;
  };

  test('is prodded once, and again only after new activity', () => {
    const watch = emptyWindow(0);
    assert.equal(quiet(watch, 59_999), 'well 0');
    const prodded = judgeWindow(watch, policy, true, 60_000).watch;
    assert.equal(quiet(watch, 60_000), 'inactive 1');
    assert.equal(quiet(prodded, 90_000), 'inactive 0');
    const stirred = withActivity(prodded, { kind: 'spend', usd: 1 }, policy, 90_000);
    assert.equal(quiet(stirred, 100_000), 'well 0');
    assert.equal(quiet(stirred, 150_000), 'inactive 1');
  });

  test('is measured from the start of its turn, not from its wait', () => {
    const begun = withActivity(
      emptyWindow(0),
      { kind: 'turn-begun', folder: '/a' },
      policy,
      500_000,
    );
    assert.equal(quiet(begun, 510_000), 'well 0');
    assert.equal(begun.folder, '/a');
    assert.equal(withActivity(begun, { kind: 'turn-ended' }, policy, 510_000).folder, null);
  });
});

describe('two calls', () => {
  const after = (...activities: readonly AgentActivity[]): ActivityWindow =>
    activities.reduce((watch, one) => withActivity(watch, one, policy, 0), emptyWindow(0));
  const call = (text: string, signature: string): AgentActivity => ({
    ...{ kind: 'call', call: text, signature },
  });

  test('are the same if their signatures are, as in the record of turns', () => {
    const same = after(call('node /tmp/a1/x.js', 's'), call('node /tmp/b2/x.js', 's'));
    const other = after(call('node x.js', 's'), call('node x.js', 't'));
    assert.deepEqual([isSuspect(same, policy), isSuspect(other, policy)], [true, false]);
  });
});
