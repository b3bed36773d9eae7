import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { CliContext } from '../cli-context.ts';
import { showSteps } from './step-lines.ts';

const context = { terminal: { colours: false }, env: {} } as unknown as CliContext;

test('each step is shown with its state, its last visit and its runs', () => {
  const runs = [
    { run: 'bbbbbbbbbb', role: 'implementer', visit: 1, outcome: 'unverified' },
    { run: 'cccccccccc', role: 'implementer', visit: 2, outcome: null },
  ] as const;
  const workflow: RunView['workflow'] = {
    name: 'small',
    current: 'implement',
    steps: [
      { id: 'implement', kind: 'role', visits: 2, state: 'running', runs: [...runs], last: 3 },
      { id: 'check', kind: 'gate', visits: 1, state: 'failed', runs: [], last: 2 },
      { id: 'approve', kind: 'human', visits: 0, state: 'pending', runs: [], last: 0 },
    ],
  };
  assert.equal(
    showSteps(context, { workflow }),
    [
      'step       implement#2  running',
      '             bbbbbbbbbb  unverified  implement#1 (implementer)',
      '             cccccccccc  running  implement#2 (implementer)',
      'step       check        failed',
      'step       approve      pending',
      '',
    ].join('\n'),
  );
  assert.equal(showSteps(context, { workflow: null }), '');
});
