import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import { Pauses } from './pauses.ts';

const [one, other] = ['aaaaaaaaaa', 'bbbbbbbbbb'] as RunId[] as [RunId, RunId];

test('model calls of a paused run wait until it is unpaused, and calls of other runs do not', async () => {
  const pauses = new Pauses();
  const done: string[] = [];
  const never = new AbortController();
  const call = (run: RunId, name: string): Promise<void> =>
    pauses.wait(run, never.signal).then(() => void done.push(name));
  pauses.hold(one);
  pauses.hold(one);
  const calls = [call(one, 'held'), call(other, 'free')];
  await settle();
  assert.deepEqual(done, ['free']);
  pauses.release(one);
  await Promise.all(calls);
  assert.deepEqual(done, ['free', 'held']);
});

test('a call stops waiting when its signal aborts', async () => {
  const pauses = new Pauses();
  pauses.hold(one);
  const aborted = new AbortController();
  const waiting = pauses.wait(one, aborted.signal);
  aborted.abort();
  await waiting;
});
