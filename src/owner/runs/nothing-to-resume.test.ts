import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RunView } from '../../protocol/views/run-view.ts';
import { isResumable, nothingToResume } from './nothing-to-resume.ts';

describe('which runs can be resumed', () => {
  const cases: [program: string, kind: 'failed' | 'cancelled' | 'succeeded', boolean][] = [
    ['attempts', 'failed', true],
    ['attempts', 'cancelled', true],
    ['attempts', 'succeeded', false],
    ['agent', 'failed', false],
    ['agent', 'cancelled', false],
  ];
  for (const [program, kind, isAllowed] of cases)
    test(`${program}, ${kind}: ${isAllowed ? 'yes' : 'no'}`, () => {
      const view = { id: 'a', program } as RunView;
      assert.equal(isResumable(view, { kind, reason: '' }), isAllowed);
    });

  test('a long-lived agent is refused with its own message', () => {
    const { message } = nothingToResume({ id: 'a', program: 'agent' } as RunView, {
      kind: 'cancelled',
      reason: '',
    });
    assert.equal(
      message,
      'Run a was a long-lived agent. It ended (cancelled) and cannot be resumed.',
    );
  });
});
