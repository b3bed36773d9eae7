import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BaseCheckStep } from '../../protocol/views/base-check-view.ts';
import { initClosing } from './init-closing.ts';

function step(kind: 'setup' | 'gate', state: BaseCheckStep['state']): BaseCheckStep {
  const name = kind === 'setup' ? 'setup' : 'test';
  return { kind, name, command: ['npm'], state, durationMs: 1, summary: '', tail: '', note: '' };
}

const RUN = /Start a run with: supervisor run "describe your task here"\n$/;
const FIX = /Start a run with: supervisor run "fix the failing test"\n$/;
const TRY_AGAIN = /\nThen try it again: supervisor trust && supervisor init\n$/;

const CASES: readonly (readonly [why: string, steps: readonly BaseCheckStep[], end: RegExp])[] = [
  ['nothing was tried', [], RUN],
  ['everything is green', [step('setup', 'passed'), step('gate', 'passed')], RUN],
  ['a gate is red', [step('setup', 'passed'), step('gate', 'failed')], FIX],
  ['the setup is red', [step('setup', 'failed'), step('gate', 'skipped')], TRY_AGAIN],
  ['the setup could not run', [step('setup', 'unable'), step('gate', 'skipped')], TRY_AGAIN],
  ['a gate could not run', [step('gate', 'failed'), step('gate', 'unable')], TRY_AGAIN],
];

describe('the end of init', () => {
  for (const [why, steps, end] of CASES)
    it(`says what to do next: ${why}`, () => {
      const text = initClosing({ hasAgent: true, steps, isInterrupted: false });
      assert.match(text, end);
      const isBlocked = end === TRY_AGAIN;
      assert.equal(text.includes('Start a run with'), !isBlocked, text);
      assert.ok(
        text.split('\n').every(({ length }) => length <= 80),
        text,
      );
    });

  it('names doctor if no agent is ready', () => {
    const text = initClosing({ hasAgent: false, steps: [], isInterrupted: false });
    assert.equal(text, 'No agent is ready. To see what is missing: supervisor doctor\n');
  });

  it('names no run if it was stopped', () => {
    const text = initClosing({ hasAgent: true, steps: [], isInterrupted: true });
    assert.equal(text, 'Stopped. The file stays; to try it again: supervisor init\n');
  });
});
