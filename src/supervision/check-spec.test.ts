import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { problemWithSupervisor } from './check-spec.ts';
import type { ChildSpec } from './child.ts';

function child(id: string, more: object = {}): ChildSpec {
  return { id, start: async () => ({ kind: 'ignored' }), ...more };
}

async function undo(): Promise<void> {}

describe('a supervisor is refused', () => {
  const cases: [why: string, spec: object, about: RegExp | undefined][] = [
    ['not with an empty spec', {}, undefined],
    ['with an unknown strategy', { strategy: 'all-for-one' }, /strategy/],
    ['with an unknown auto-shutdown', { autoShutdown: 'sometimes' }, /auto-shutdown/],
    ['with half a restart', { intensity: { restartsMax: 0.5, withinMs: 1 } }, /restarts/],
    ['with a window of zero', { intensity: { restartsMax: 1, withinMs: 0 } }, /window/],
    ['with a backoff that shrinks', { backoff: { baseMs: 1, maxMs: 2, factor: 0 } }, /factor/],
    ['with two children of one id', { children: [child('a'), child('a')] }, /two children/],
    ['with a child without an id', { children: [child('')] }, /id/],
    ['with an unknown restart', { children: [child('a', { restart: 'maybe' })] }, /restart/],
    ['with an unknown type', { children: [child('a', { type: 'boss' })] }, /type/],
    ['with a negative grace', { children: [child('a', { shutdown: -1 })] }, /shutdown/],
    ['with a vague significance', { children: [child('a', { significant: 1 })] }, /significant/],
    [
      'with a significant child while auto-shutdown is never',
      { children: [child('a', { significant: true, restart: 'transient' })] },
      /never/,
    ],
    [
      'with a significant child that is permanent',
      { autoShutdown: 'any-significant', children: [child('a', { significant: true })] },
      /permanent/,
    ],
    [
      'not with a significant child that may end the supervisor',
      {
        autoShutdown: 'any-significant',
        children: [child('a', { significant: true, restart: 'temporary' })],
      },
      undefined,
    ],
    [
      'with children of a dynamic supervisor',
      { strategy: 'dynamic', children: [child('a')] },
      /without children/,
    ],
    [
      'with the strategy revert and no revert function',
      { strategy: 'revert', children: [child('a')] },
      /revert/,
    ],
    [
      'not with a revert function',
      { strategy: 'revert', children: [child('a', { revert: undo })] },
      undefined,
    ],
    [
      'with two producers of one thing',
      { children: [child('a', { produces: ['x'] }), child('b', { produces: ['x'] })] },
      /both a and b/,
    ],
    [
      'with a consumer before its producer',
      { children: [child('a', { consumes: ['x'] }), child('b', { produces: ['x'] })] },
      /before b/,
    ],
    [
      'with a child that consumes what it produces',
      { children: [child('a', { consumes: ['x'], produces: ['x'] })] },
      /before a/,
    ],
    [
      'with an invalid window of a child',
      { children: [child('a', { intensity: { restartsMax: -1, withinMs: 1 } })] },
      /restarts/,
    ],
  ];
  for (const [why, spec, about] of cases) {
    test(why, () => {
      const problem = problemWithSupervisor(spec);
      if (about === undefined) assert.equal(problem, undefined);
      else assert.match(problem ?? '', about);
    });
  }
});
