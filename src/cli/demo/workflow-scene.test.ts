import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { askViewer } from './workflow-scene.ts';

type Key = 'a' | 'r' | null;

/** A viewer who presses one key, or none. */
function viewer(key: Key): Parameters<typeof askViewer>[0] {
  return {
    isThere: true,
    pressed: (one) => (one === key ? Promise.resolve() : new Promise(() => {})),
  };
}

describe('a viewer of the demo', () => {
  const cases: [why: string, key: Key, expected: string][] = [
    ['approves with a', 'a', 'approve'],
    ['rejects with r', 'r', 'reject'],
    ['who presses no key in time approves nothing', null, 'none'],
  ];
  for (const [why, key, expected] of cases)
    test(why, async () => {
      const clock = new ManualClock();
      const said: string[] = [];
      const decided = askViewer(viewer(key), { clock }, (_who, _style, text) => {
        said.push(text);
      });
      await clock.advance(60_000);
      assert.equal(await decided, expected);
      assert.deepEqual(said, ['press a to approve it, or r to reject it (within 60 s)']);
    });

  test('who has no keyboard learns that the demo presses the key', async () => {
    const said: string[] = [];
    const nobody = { isThere: false, pressed: () => new Promise<void>(() => {}) };
    const decision = await askViewer(nobody, { clock: new ManualClock() }, (_who, _style, text) => {
      said.push(text);
    });
    assert.deepEqual(
      [decision, said],
      ['approve', ['this is no terminal, so the demo presses the key a itself']],
    );
  });
});
