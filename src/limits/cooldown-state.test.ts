import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CooldownEvent, NewCooldownEvent, Payload } from '../protocol/event.ts';
import {
  COOLDOWNS_MAX,
  NO_COOLDOWNS,
  coolingAt,
  foldCooldowns,
  isKnown,
} from './cooldown-state.ts';

const limit: Payload<'cooldown.set'> = {
  identity: 'a::::',
  agent: 'a',
  run: 'r1',
  until: 100,
  reason: 'HTTP 429',
};

function facts(...events: readonly NewCooldownEvent[]): readonly CooldownEvent[] {
  return events.map((event, place) => ({
    ...event,
    id: place + 1,
    stream: 'cooldowns',
    seq: place + 1,
    v: 1,
    at: place + 1,
  }));
}

function set(said: Partial<Payload<'cooldown.set'>> = {}): NewCooldownEvent {
  return { type: 'cooldown.set', payload: { ...limit, ...said } };
}

function cleared(...identities: string[]): NewCooldownEvent {
  return { type: 'cooldown.cleared', payload: { identities } };
}

describe('the cooldowns', () => {
  const cases: [why: string, events: NewCooldownEvent[], now: number, rests: string[]][] = [
    ['no agent at first', [], 0, []],
    ['whoever was limited, until its time has come', [set()], 99, ['a:::: until 100: HTTP 429']],
    ['and no longer', [set()], 100, []],
    [
      'the longer time wins, with its reason',
      [set(), set({ until: 50, reason: 'guessed' })],
      0,
      ['a:::: until 100: HTTP 429'],
    ],
    [
      'whichever is said first',
      [set({ until: 50, reason: 'guessed' }), set()],
      0,
      ['a:::: until 100: HTTP 429'],
    ],
    ['who is cleared may be tried at once', [set(), cleared('a::::')], 0, []],
    [
      'and after that a shorter time holds again',
      [set(), cleared('a::::'), set({ until: 50, run: 'r2' })],
      0,
      ['a:::: until 50: HTTP 429'],
    ],
    [
      'clearing another agent changes nothing',
      [set(), cleared('b::::')],
      0,
      ['a:::: until 100: HTTP 429'],
    ],
    [
      'the first to be free comes first',
      [set(), set({ identity: 'b::::', until: 60 })],
      0,
      ['b:::: until 60: HTTP 429', 'a:::: until 100: HTTP 429'],
    ],
  ];
  for (const [why, events, now, rests] of cases) {
    test(why, () => {
      const cooldowns = facts(...events).reduce(foldCooldowns, NO_COOLDOWNS);
      assert.deepEqual(
        coolingAt(cooldowns, now).map((one) => `${one.identity} until ${one.until}: ${one.reason}`),
        rests,
      );
    });
  }

  test('a repetition is known, even of what was cleared; another run or time is news', () => {
    const cooldowns = facts(set(), cleared('a::::')).reduce(foldCooldowns, NO_COOLDOWNS);
    assert.deepEqual(
      [limit, { ...limit, run: 'r2' }, { ...limit, until: 101 }].map((said) =>
        isKnown(cooldowns, said),
      ),
      [true, false, false],
    );
  });

  test('the one that was limited longest ago is forgotten when there are too many', () => {
    const many = Array.from({ length: COOLDOWNS_MAX + 1 }, (_, n) => set({ identity: `i${n}` }));
    const cooldowns = facts(...many).reduce(foldCooldowns, NO_COOLDOWNS);
    assert.deepEqual(
      [cooldowns.size, cooldowns.has('i0'), cooldowns.has('i1')],
      [COOLDOWNS_MAX, false, true],
    );
  });
});
