import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../base/clock.ts';
import type { SupervisionEvent } from '../supervision/index.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { treeHealth, RECOVERING_MS, TreeState } from './tree-state.ts';

const boom = { kind: 'failed', reason: 'boom' } as const;

/** Returns the view of the child `a` after these events: state, restarts, health, why. */
function after(events: readonly SupervisionEvent[], strategy: 'one-for-one' | 'dynamic'): string {
  const treeState = new TreeState(new ManualClock());
  const emit = treeState.supervisor('owner', strategy);
  for (const event of events) emit(event);
  const child = treeState.view().nodes[1];
  if (child === undefined) return 'gone';
  return `${child.state} ${child.restarts} ${child.health} ${child.why ?? '-'}`;
}

describe('the view of a child', () => {
  const up: SupervisionEvent = { kind: 'started', id: 'a' };
  const died: SupervisionEvent = { kind: 'exited', id: 'a', exit: boom };
  const left: SupervisionEvent = { kind: 'exited', id: 'a', exit: { kind: 'normal' } };
  const again: SupervisionEvent = { kind: 'restarting', id: 'a', at: at(0), delayMs: 5 };
  const cases: [why: string, events: SupervisionEvent[], expected: string, dynamic?: string][] = [
    ['it runs', [up], 'running 0 well -'],
    ['it died', [up, died], 'down 0 down boom'],
    ['it waits for its restart', [up, died, again], 'restarting 1 down boom'],
    ['it runs again', [up, died, again, up], 'running 1 recovering boom'],
    [
      'its restart failed',
      [up, died, again, { kind: 'start-failed', id: 'a', reason: 'no port' }],
      'restarting 1 down no port',
    ],
    ['its supervisor gave up', [up, died, { kind: 'gave-up', id: 'a' }], 'down 0 down boom'],
    ['it ended normally', [up, left], 'down 0 down normal', 'gone'],
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

test('a child is well again when it has run long enough since its failure', () => {
  const up = { state: 'running', failedAtMs: 0 } as const;
  assert.deepEqual(
    [treeHealth(up, RECOVERING_MS - 1), treeHealth(up, RECOVERING_MS)],
    ['recovering', 'well'],
  );
});

test('parents come before their children, siblings in the order of their start', () => {
  const treeState = new TreeState(new ManualClock());
  const root = treeState.supervisor('owner', 'rest-for-one');
  root({ kind: 'started', id: 'store' });
  treeState.supervisor('owner/guard', 'one-for-one')({ kind: 'started', id: 'reaper' });
  root({ kind: 'started', id: 'guard' });
  root({ kind: 'started', id: 'engine' });
  const lines = treeState
    .view()
    .nodes.map(({ id, parent, strategy }) => `${id} ${parent} ${strategy}`);
  assert.deepEqual(lines, [
    'owner null rest-for-one',
    'owner/store owner null',
    'owner/guard owner one-for-one',
    'owner/guard/reaper owner/guard null',
    'owner/engine owner null',
  ]);
});

test('a follower gets the view at once and after each change, until its signal aborts', async () => {
  const treeState = new TreeState(new ManualClock());
  const emit = treeState.supervisor('owner', 'one-for-one');
  const stop = new AbortController();
  const views = treeState.follow(stop.signal);
  assert.equal((await views.next()).value?.nodes.length, 1);
  const next = views.next();
  emit({ kind: 'started', id: 'a' });
  assert.equal((await next).value?.nodes.length, 2);
  emit({ kind: 'started', id: 'b' });
  emit({ kind: 'started', id: 'c' });
  assert.equal((await views.next()).value?.nodes.length, 4);
  const last = views.next();
  stop.abort();
  assert.equal((await last).done, true);
});
