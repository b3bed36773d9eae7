import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ProcessStarts } from './process-starts.ts';

/** Each start takes 4 ms of a clock that only starts move. */
function world(): {
  readonly starts: ProcessStarts;
  readonly begun: number[];
  readonly start: (name: number) => Promise<number>;
} {
  let now = 0;
  const starts = new ProcessStarts(() => now);
  const begun: number[] = [];
  const start = (name: number): Promise<number> =>
    starts.run(() => {
      now += 4;
      begun.push(name);
      return name;
    });
  return { starts, begun, start };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the starts of processes', () => {
  test('a start that comes alone happens at once', () => {
    const { begun, start } = world();
    void start(1);
    assert.deepEqual(begun, [1]);
  });

  test('many at once are spread over turns of the event loop, in their order', async () => {
    const { begun, start } = world();
    const all = Promise.all([1, 2, 3, 4, 5, 6, 7].map(start));
    assert.deepEqual(begun, [1, 2, 3]);
    await nextTurn();
    assert.deepEqual(begun, [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await all, [1, 2, 3, 4, 5, 6, 7]);
  });

  test('one that comes later in a turn that is used up waits for the next turn', async () => {
    const { begun, start } = world();
    for (const name of [1, 2, 3]) await start(name);
    const late = start(4);
    assert.deepEqual(begun, [1, 2, 3]);
    assert.equal(await late, 4);
  });

  test('one that fails fails alone', async () => {
    const { starts, start } = world();
    const bad = starts.run(() => {
      throw new Error('no such program');
    });
    await assert.rejects(bad, /no such program/);
    assert.equal(await start(1), 1);
  });
});
