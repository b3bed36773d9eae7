import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { HealthPolicy } from '../protocol/agent-rules.ts';
import { readWatch, writeWatch } from './watch-codec.ts';
import type { ActivityWindow } from './activity-window.ts';
import {
  emptyWindow,
  isSuspect,
  judgeWindow,
  afterHealthCheck,
  withActivity,
} from './activity-window.ts';

const policy: HealthPolicy = { spinCalls: 3, onSpin: 'notify', inactivity: null };

/** Letters are calls, a digit is a check of a tree. Returns the judgements. */
function play(
  from: ActivityWindow,
  done: string,
): { readonly watch: ActivityWindow; readonly heard: string[] } {
  let watch = from;
  const heard: string[] = [];
  for (const one of done) {
    if (!/\d/.test(one)) {
      watch = withActivity(watch, { kind: 'call', call: `call ${one}` }, policy, 0);
      continue;
    }
    if (isSuspect(watch, policy)) watch = afterHealthCheck(watch, one, policy, 0);
    const judged = judgeWindow(watch, policy, true, 0);
    ({ watch } = judged);
    heard.push(JSON.stringify([judged.health, judged.reactionCount]));
  }
  return { watch, heard };
}

test('a watch that was stored and read back judges as the original', () => {
  const deeds = fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'c', '1', '1', '2') });
  fc.assert(
    fc.property(deeds, deeds, (before, after) => {
      const { watch } = play(emptyWindow(0), before);
      const written: unknown = JSON.parse(JSON.stringify(writeWatch({ life: 2, watch })));
      const read = written === null ? emptyWindow(0) : readWatch(written, 0)?.watch;
      assert.ok(read !== undefined);
      assert.deepEqual(play(read, after).heard, play(watch, after).heard);
    }),
  );
});

test('the text of a call that was made once is not stored', () => {
  const { watch } = play(emptyWindow(0), 'abcaa');
  const written = writeWatch({ life: 1, watch });
  assert.deepEqual(Object.values(written?.texts ?? {}), ['call a']);
  assert.deepEqual(
    written?.recent.map(([, times]) => times),
    [1, 1, 1, 2],
  );
});
