import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ScriptedStep } from '../../test/support/turn-script.ts';
import { bash, failed, firedIn, turn, turns } from '../../test/support/turn-script.ts';
import { callSignature } from '../turns/call-signature.ts';
import type { HealthPolicy } from '../protocol/agent-rules.ts';
import type { Health } from './health.ts';
import { DEFAULT_HEALTH, firstPulse, foldPulse, judgeHealth } from './health.ts';

const policy: HealthPolicy = { ...DEFAULT_HEALTH, spinCalls: 3, onSpin: 'reap' };
const prodded: HealthPolicy = { ...policy, inactivity: { afterMs: 60_000, action: 'prod' } };
const HOURS = 36_000_000;

/** `done` are calls by a letter each, with a star for an artefact, a second apart. */
function judge(done: string, with_: HealthPolicy, nowMs: number, isWorking = true): Health {
  let pulse = firstPulse(0);
  done.split('').forEach((one, index) => {
    const atMs = index * 1000;
    pulse = foldPulse(
      pulse,
      one === '*' ? { kind: 'artefact', atMs } : { kind: 'call', call: one, atMs },
      with_,
    );
  });
  return judgeHealth(pulse, with_, isWorking, nowMs);
}

describe('the health of an agent', () => {
  const spinning = (call: string, times: number): Health => ({
    kind: 'spinning',
    call,
    times,
    action: 'reap',
  });
  const cases: [
    why: string,
    done: string,
    HealthPolicy,
    nowMs: number,
    Health,
    working?: boolean,
  ][] = [
    ['an agent that has just started is well', '', policy, 0, { kind: 'well', quietMs: 0 }],
    [
      'silence alone, however long, is not a failure',
      'a',
      policy,
      HOURS,
      { kind: 'well', quietMs: HOURS },
    ],
    ['different calls are work', 'abcdef', policy, 5000, { kind: 'well', quietMs: 0 }],
    ['the same call many times is spinning', 'aaa', policy, 2000, spinning('a', 3)],
    ['a cycle of two calls is spinning', 'ababa', policy, 4000, spinning('a', 3)],
    [
      'a call that recurs now and then is not spinning',
      'abcdaefgahij',
      policy,
      11_000,
      { kind: 'well', quietMs: 0 },
    ],
    [
      'an artefact between calls starts a new count',
      'aa*a',
      policy,
      3000,
      { kind: 'well', quietMs: 0 },
    ],
    [
      'an artefact after the calls starts a new count',
      'aaa*',
      policy,
      3000,
      { kind: 'well', quietMs: 0 },
    ],
    [
      'an agent that waits is well, whatever it did before',
      'aaa',
      policy,
      2000,
      { kind: 'well', quietMs: 0 },
      false,
    ],
    [
      'inactivity counts only if it is configured',
      'a',
      prodded,
      60_000,
      { kind: 'inactive', quietMs: 60_000, action: 'prod' },
    ],
    [
      'inactivity does not count before its time',
      'a',
      prodded,
      59_999,
      { kind: 'well', quietMs: 59_999 },
    ],
    [
      'inactivity does not count while the agent waits',
      'a',
      prodded,
      HOURS,
      { kind: 'well', quietMs: HOURS },
      false,
    ],
    ['spinning is reported before inactivity', 'aaa', prodded, HOURS, spinning('a', 3)],
  ];
  for (const [why, done, with_, nowMs, expected, working] of cases)
    test(why, () => assert.deepEqual(judge(done, with_, nowMs, working), expected));

  test('the number of remembered calls is bounded', () => {
    let pulse = firstPulse(0);
    for (let n = 0; n < 1000; n += 1)
      pulse = foldPulse(pulse, { kind: 'call', call: `${n}`, atMs: n }, policy);
    assert.equal(pulse.calls.length, 6);
  });
});

/** The same calls for the detectors, which judge turns, and for this monitor, which judges a life. */
describe('the detectors and the spin monitor find different things', () => {
  const poll = bash('gh run view 7', 'status: in_progress');
  const cases: [
    why: string,
    step: ScriptedStep,
    calls: number,
    detectors: string[],
    spins: boolean,
  ][] = [
    ['a long poll is well, but a life that only polls is not', poll, 12, [], true],
    [
      'five equal failures are a loop, and too few to end a life',
      failed('make'),
      5,
      ['loop'],
      false,
    ],
    ['ten equal failures are both', failed('make'), 10, ['loop'], true],
  ];
  for (const [why, step, calls, detectors, spins] of cases)
    test(why, () => {
      const { tool, input } = step;
      const signature = callSignature(tool, input);
      let pulse = firstPulse(0);
      for (let nth = 1; nth <= calls; nth += 1)
        pulse = foldPulse(pulse, { kind: 'call', call: signature, atMs: nth }, DEFAULT_HEALTH);
      const { kind } = judgeHealth(pulse, DEFAULT_HEALTH, true, calls);
      const fired = firedIn(turns(calls, () => turn(step)));
      assert.deepEqual([fired, kind === 'spinning'], [detectors, spins]);
    });
});
