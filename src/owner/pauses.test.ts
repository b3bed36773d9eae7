import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunId } from '../base/ids.ts';
import { settle } from '../testing/fakes/manual-clock.ts';
import { Pauses } from './pauses.ts';

const [one, other] = ['aaaaaaaaaa', 'bbbbbbbbbb'] as RunId[] as [RunId, RunId];

test('calls of a held run wait until it is let go, and those of others do not', async () => {
  const pauses = new Pauses();
  const went: string[] = [];
  const never = new AbortController();
  const go = (run: RunId, name: string): Promise<void> =>
    pauses.wait(run, never.signal).then(() => void went.push(name));
  pauses.hold(one);
  pauses.hold(one);
  const calls = [go(one, 'held'), go(other, 'free')];
  await settle();
  assert.deepEqual(went, ['free']);
  pauses.letGo(one);
  await Promise.all(calls);
  assert.deepEqual(went, ['free', 'held']);
});

test('an agent that goes away does not wait', async () => {
  const pauses = new Pauses();
  pauses.hold(one);
  const left = new AbortController();
  const waiting = pauses.wait(one, left.signal);
  left.abort();
  await waiting;
});
