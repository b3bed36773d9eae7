import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { SupervisionEvent } from '../supervision/index.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { treeHealth, RECOVERING_MS, TreeState } from './tree-state.ts';

const boom = { kind: 'failed', reason: 'boom' } as const;

/** What the picture says of the child `a` after these were told of it: state, restarts, health, why. */
function after(events: readonly SupervisionEvent[], strategy: 'one-for-one' | 'dynamic'): string {
  const book = new TreeState(new ManualClock());
  const tell = book.supervisor('owner', strategy);
  for (const event of events) tell(event);
  const child = book.view().nodes[1];
  if (child === undefined) return 'gone';
  return `${child.state} ${child.restarts} ${child.health} ${child.why ?? '-'}`;
}

describe('the picture of a child', () => {
  const up: SupervisionEvent = { kind: 'started', id: 'a' };
  const died: SupervisionEvent = { kind: 'exited', id: 'a', exit: boom };
  const left: SupervisionEvent = { kind: 'exited', id: 'a', exit: { kind: 'normal' } };
  const again: SupervisionEvent = { kind: 'restarting', id: 'a', at: at(0), delayMs: 5 };
  const cases: [why: string, events: SupervisionEvent[], expected: string, dynamic?: string][] = [
    ['it is up', [up], 'running 0 well -'],
    ['it died', [up, died], 'down 0 down boom'],
    ['it waits for its restart', [up, died, again], 'restarting 1 down boom'],
    ['it is up again', [up, died, again, up], 'running 1 recovering boom'],
    [
      'it did not come up again',
      [up, died, again, { kind: 'start-failed', id: 'a', reason: 'no port' }],
      'restarting 1 down no port',
    ],
    ['it gave up', [up, died, { kind: 'gave-up', id: 'a' }], 'down 0 down boom'],
    ['it ended well', [up, left], 'down 0 down normal', 'gone'],
    [
      'it was stopped',
      [up, { kind: 'stopped', id: 'a', exit: { kind: 'shutdown' } }],
      'down 0 down -',
      'gone',
    ],
  ];
  for (const [why, events, expected, dynamic = expected] of cases) {
    test(why, () => {
      assert.deepEqual(
        [after(events, 'one-for-one'), after(events, 'dynamic')],
        [expected, dynamic],
      );
    });
  }
});

test('who has been up for long enough since it failed is well again', () => {
  const up = { state: 'running', failedAtMs: 0 } as const;
  assert.deepEqual(
    [treeHealth(up, RECOVERING_MS - 1), treeHealth(up, RECOVERING_MS)],
    ['recovering', 'well'],
  );
});

test('parents come before their children, siblings in the order of their start', () => {
  const book = new TreeState(new ManualClock());
  const root = book.supervisor('owner', 'rest-for-one');
  root({ kind: 'started', id: 'store' });
  book.supervisor('owner/guard', 'one-for-one')({ kind: 'started', id: 'reaper' });
  root({ kind: 'started', id: 'guard' });
  root({ kind: 'started', id: 'engine' });
  const told = book.view().nodes.map(({ id, parent, strategy }) => `${id} ${parent} ${strategy}`);
  assert.deepEqual(told, [
    'owner null rest-for-one',
    'owner/store owner null',
    'owner/guard owner one-for-one',
    'owner/guard/reaper owner/guard null',
    'owner/engine owner null',
  ]);
});

test('whoever follows is told at once, then of every change, and leaves when they like', async () => {
  const book = new TreeState(new ManualClock());
  const tell = book.supervisor('owner', 'one-for-one');
  const enough = new AbortController();
  const views = book.follow(enough.signal);
  assert.equal((await views.next()).value?.nodes.length, 1);
  const next = views.next();
  tell({ kind: 'started', id: 'a' });
  assert.equal((await next).value?.nodes.length, 2);
  tell({ kind: 'started', id: 'b' });
  tell({ kind: 'started', id: 'c' });
  assert.equal((await views.next()).value?.nodes.length, 4);
  const last = views.next();
  enough.abort();
  assert.equal((await last).done, true);
});
