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
    ['not when nothing is said', {}, undefined],
    ['with an unknown strategy', { strategy: 'all-for-one' }, /strategy/],
    ['with an unknown auto-shutdown', { autoShutdown: 'sometimes' }, /auto-shutdown/],
    ['with half a restart', { intensity: { restartsMax: 0.5, withinMs: 1 } }, /restarts/],
    ['with a window of nothing', { intensity: { restartsMax: 1, withinMs: 0 } }, /window/],
    ['with a backoff that shrinks', { backoff: { baseMs: 1, maxMs: 2, factor: 0 } }, /factor/],
    ['with two of one name', { children: [child('a'), child('a')] }, /two children/],
    ['with a nameless child', { children: [child('')] }, /id/],
    ['with an unknown restart', { children: [child('a', { restart: 'maybe' })] }, /restart/],
    ['with an unknown type', { children: [child('a', { type: 'boss' })] }, /type/],
    ['with a negative grace', { children: [child('a', { shutdown: -1 })] }, /shutdown/],
    ['with a vague significance', { children: [child('a', { significant: 1 })] }, /significant/],
    [
      'with a significant child that can mean nothing',
      { children: [child('a', { significant: true, restart: 'transient' })] },
      /never/,
    ],
    [
      'with a significant child that always comes back',
      { autoShutdown: 'any-significant', children: [child('a', { significant: true })] },
      /permanent/,
    ],
    [
      'not with one that may end all',
      {
        autoShutdown: 'any-significant',
        children: [child('a', { significant: true, restart: 'temporary' })],
      },
      undefined,
    ],
    [
      'with children before there can be any',
      { strategy: 'dynamic', children: [child('a')] },
      /later/,
    ],
    ['with a revert nobody knows', { strategy: 'revert', children: [child('a')] }, /revert/],
    [
      'not with one that is known',
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
      'with an unsound window of a child',
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
