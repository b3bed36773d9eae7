import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settle } from '../testing/fakes/manual-clock.ts';
import { FakeChild } from '../testing/fakes/fake-child.ts';
import { link, monitor } from './links.ts';
import type { Exit } from './exit.ts';

async function stateOf(child: FakeChild): Promise<string> {
  return Promise.race([child.exit.then(({ kind }) => kind), settle().then(() => 'alive')]);
}

describe('two linked children', () => {
  const cases: [why: string, Exit, other: string][] = [
    ['a failure kills the other', { kind: 'failed', reason: 'boom' }, 'killed'],
    ['a kill kills the other', { kind: 'killed' }, 'killed'],
    ['a shutdown kills the other', { kind: 'shutdown' }, 'killed'],
    ['a normal exit does not affect the other', { kind: 'normal' }, 'alive'],
  ];
  for (const [why, exit, expected] of cases) {
    test(why, async () => {
      for (const way of ['forth', 'back']) {
        const [one, other] = [new FakeChild(), new FakeChild()];
        if (way === 'forth') link(one, other);
        else link(other, one);
        one.end(exit);
        assert.equal(await stateOf(other), expected, way);
      }
    });
  }

  test('are independent once they are unlinked', async () => {
    const [one, other] = [new FakeChild(), new FakeChild()];
    const unlink = link(one, other);
    unlink();
    one.end({ kind: 'killed' });
    assert.equal(await stateOf(other), 'alive');
  });
});

describe('a monitored child', () => {
  test('reports its exit, and affects no other', async () => {
    const child = new FakeChild();
    const notice = monitor(child, new AbortController().signal);
    child.end({ kind: 'killed' });
    assert.deepEqual(await notice, { kind: 'killed' });
  });

  test('reports nothing after the monitor was aborted', async () => {
    const child = new FakeChild();
    const interest = new AbortController();
    const notice = monitor(child, interest.signal);
    interest.abort();
    assert.equal(await notice, undefined);
    assert.equal(await stateOf(child), 'alive');
  });
});
