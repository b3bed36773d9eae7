import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { Supervisor } from '../supervision/index.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { FakeChildren } from '../testing/fakes/fake-child.ts';
import type { AgentKind } from '../protocol/long-lived-agent.ts';
import { AGENT_KINDS } from '../protocol/long-lived-agent.ts';
import { KIND_RULES } from './kinds.ts';

/** The restarts of a child that fails as soon as it is up, with their waits in seconds. */
async function fate(kind: AgentKind): Promise<readonly number[]> {
  const { restart, intensity, backoff } = KIND_RULES[kind];
  const clock = new ManualClock();
  const cast = new FakeChildren();
  const waits: number[] = [];
  const supervisor = await Supervisor.start(
    {
      intensity,
      ...(backoff !== null && { backoff }),
      children: [cast.spec('a', { restart })],
    },
    {
      clock,
      random: seededRandom(1),
      observe: (event) => {
        if (event.kind === 'restarting') waits.push(event.delayMs / 1000);
      },
    },
  );
  const over = new AbortController();
  void supervisor.ended.then(() => over.abort());
  for (let deaths = 0; deaths < 50 && !over.signal.aborted; deaths += 1) {
    cast.end('a');
    await clock.advance(0);
    await clock.advance(clock.nextWakeMs ?? 0);
  }
  assert.equal((await supervisor.ended).why, 'too-many-restarts');
  return waits;
}

describe('an agent that keeps failing', () => {
  const cases: [why: string, AgentKind, waits: readonly number[]][] = [
    [
      'the root has ten restarts an hour, with longer and longer waits',
      'root',
      [5, 10, 20, 40, 80, 160, 300, 300, 300, 300],
    ],
    ['a mortal has three in five minutes', 'mortal', [2, 4, 8]],
    ['a drone has one, at once', 'drone', [0]],
    ['a monitor has three in five minutes', 'monitor', [2, 4, 8]],
  ];
  for (const [why, kind, waits] of cases)
    test(why, async () => assert.deepEqual(await fate(kind), waits));
});

test('each kind escalates or is reaped, with its visibility', () => {
  assert.deepEqual(
    AGENT_KINDS.map(
      (kind) => `${kind} ${KIND_RULES[kind].whenExhausted} ${KIND_RULES[kind].visibility}`,
    ),
    [
      'root escalate shown',
      'mortal escalate badge',
      'drone reap silent',
      'monitor escalate silent',
    ],
  );
});
