import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import type { FakeChildMode } from '../testing/fakes/fake-child.ts';
import { FakeChild } from '../testing/fakes/fake-child.ts';
import type { Shutdown } from './child.ts';
import { ChildInstance, stopTogether } from './child-instance.ts';

const never = new AbortController().signal;

describe('a child that is stopped', () => {
  const cases: [
    why: string,
    FakeChildMode,
    Shutdown,
    withinMs: number,
    expected: string | undefined,
  ][] = [
    ['obeys at once', 'obeys', 5000, 0, 'obeyed'],
    ['is killed when its time is over', 'stubborn', 5000, 5000, 'killed'],
    ['is not killed a moment earlier', 'stubborn', 5000, 4999, undefined],
    ['is killed at once by brutal-kill', 'obeys', 'brutal-kill', 0, 'killed'],
    ['is waited for as long as it takes', 'stubborn', 'infinity', 1e9, undefined],
    ['is reported as unstopped when a kill does not end it', 'immortal', 100, 20_000, 'unstopped'],
  ];
  for (const [why, temper, shutdown, withinMs, expected] of cases) {
    test(why, async () => {
      const clock = new ManualClock();
      let kind: string | undefined;
      void stopTogether([new ChildInstance(new FakeChild(temper))], shutdown, clock, never).then(
        ([stop]) => (kind = stop?.kind),
      );
      await clock.advance(withinMs);
      assert.equal(kind, expected);
    });
  }

  test('was over if it had exited before', async () => {
    const child = new FakeChild();
    const life = new ChildInstance(child);
    child.end({ kind: 'failed', reason: 'boom' });
    await life.exited;
    assert.deepEqual(await stopTogether([life], 5000, new ManualClock(), never), [
      { kind: 'was-over', exit: { kind: 'failed', reason: 'boom' } },
    ]);
  });

  test('is killed at once when the hurry signal aborts', async () => {
    const clock = new ManualClock();
    const hurry = new AbortController();
    const stubborn = [5000, 'infinity'] as const;
    const stopping = stubborn.map((shutdown) =>
      stopTogether([new ChildInstance(new FakeChild('stubborn'))], shutdown, clock, hurry.signal),
    );
    await clock.advance(1);
    hurry.abort();
    const stops = (await Promise.all(stopping)).flat();
    assert.deepEqual(
      stops.map(({ kind }) => kind),
      ['killed', 'killed'],
    );
    assert.equal(clock.sleeping, 0);
  });
});

test('a thousand stubborn children cost one timer', async () => {
  const clock = new ManualClock();
  const lives = Array.from({ length: 1000 }, () => new ChildInstance(new FakeChild('stubborn')));
  const stopping = stopTogether(lives, 30_000, clock, never);
  await clock.advance(0);
  assert.equal(clock.sleeping, 1);
  await clock.advance(30_000);
  assert.equal((await stopping).filter(({ kind }) => kind === 'killed').length, 1000);
  assert.equal(clock.sleeping, 0);
});

test('a handle that rejects counts as a child that failed', async () => {
  const handle = { exit: Promise.reject(new Error('lost')), ask() {}, kill() {} };
  assert.deepEqual(await new ChildInstance(handle).exited, {
    kind: 'failed',
    reason: 'Error: lost',
  });
});

test('a child that has exited is neither asked nor killed: its id may belong to another by now', async () => {
  const asked: string[] = [];
  const watched = (name: string, child: FakeChild): ChildInstance =>
    new ChildInstance({
      exit: child.exit,
      ask: () => {
        asked.push(`ask ${name}`);
        child.ask();
      },
      kill: () => {
        asked.push(`kill ${name}`);
        child.kill();
      },
    });
  const gone = new FakeChild();
  const lives = [
    watched('gone', gone),
    watched('obeys', new FakeChild()),
    watched('stubborn', new FakeChild('stubborn')),
  ];
  gone.end({ kind: 'normal' });
  await lives[0]?.exited;
  const clock = new ManualClock();
  const stopping = stopTogether(lives, 100, clock, never);
  await clock.advance(100);
  await stopping;
  assert.deepEqual(asked, ['ask obeys', 'ask stubborn', 'kill stubborn']);
});
