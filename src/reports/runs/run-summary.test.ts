import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecordedRun } from '../../../test/support/run-history-fixture.ts';
import {
  attempt,
  ended,
  ends,
  historyOfFacts,
  notes,
  submitted,
} from '../../../test/support/run-history-fixture.ts';
import type { LineTotals } from './run-summary.ts';
import { afterSummary, runSummary } from './run-summary.ts';

const ID = '0123456789';
const started = (sandbox: string) => notes('attempt-1', { kind: 'started', pid: 1, sandbox });
const kept = (files: number) =>
  notes('attempt-1', { kind: 'committed', root: '/w', base: 'b', ref: 'r', files, commit: 'c' });
const done = ends('attempt-1', { kind: 'completed', summary: 'done' });
const gate = (result: object) => ends('gate-1-0', { name: 'npm test', ...result });
const PASSED = { kind: 'passed' };
const FAILED = { kind: 'failed', exit: 1, tail: '' };

function inSandbox(...facts: readonly RecordedRun[1][]): readonly RecordedRun[] {
  const all = [submitted(), attempt(1, 'main'), started('bubblewrap'), ...facts];
  return all.map((fact, place): RecordedRun => [place, fact]);
}

function summary(events: readonly RecordedRun[], lines: LineTotals): readonly string[] {
  const history = historyOfFacts(events);
  const next = afterSummary(history, null, 0);
  return [
    ...runSummary(history, lines).map(([label, text]) => `${label}: ${text}`),
    ...(next === null ? [] : [next]),
  ];
}

test('the command that applies the work has the flags that it needs', () => {
  const history = historyOfFacts(inSandbox(kept(1), done, ended('unverified', 'done')));
  const lines = afterSummary(history, null, 0, ' --include-tests')?.split('\n') ?? [];
  assert.equal(lines.at(-1), `Apply it with: supervisor apply ${history.id} --include-tests`);
});

test('the end of a workflow says what the work of its steps changes', () => {
  const collected = (answer: object, files: number) => {
    const event = ends('collect-a-1', {
      answer,
      summary: '',
      failure: null,
      base: null,
      work: { run: 'a', files },
    });
    return { ...event, payload: { ...event.payload, command: 'collect-step' } } as RecordedRun[1];
  };
  const written = { status: 'SUCCESS', files_modified: ['a'] };
  const events = [
    submitted(),
    collected(written, 2),
    collected({ status: 'APPROVED', issues: [] }, 5),
    ended('succeeded', 'done'),
  ];
  assert.deepEqual(
    summary(
      events.map((event, at): RecordedRun => [at, event]),
      { added: 3, removed: 1 },
    ),
    [
      'changes: 2 files, +3 -1 lines',
      'time: 3s',
      `Your files are unchanged.\nReview the work with: supervisor diff ${ID}\nApply it with: supervisor apply ${ID}`,
    ],
  );
});

describe('the end of a run says', () => {
  const cases: [why: string, events: readonly RecordedRun[], expected: readonly string[]][] = [
    [
      'what changed, what it cost, and how to see and apply it',
      inSandbox(
        notes('attempt-1', { kind: 'spent', tokens: 9, usd: 0.254, calls: 1, settled: [] }),
        kept(2),
        done,
        gate(PASSED),
        ended('succeeded', 'done'),
      ),
      [
        'attempts: 1 (main)',
        'gates: ✔ npm test',
        'changes: 2 files, +30 -4 lines',
        'time: 7s',
        'cost: $0.25',
        `Your files are unchanged.\nReview the work with: supervisor diff ${ID}\nApply it with: supervisor apply ${ID}`,
      ],
    ],
    [
      'that no gate has checked the work',
      inSandbox(kept(1), done, ended('unverified', 'done')),
      [
        'attempts: 1 (main)',
        'gates: none has checked the work',
        'changes: 1 file, +30 -4 lines',
        'time: 5s',
        `Your files are unchanged. No gate has checked the work.\nReview it with: supervisor diff ${ID}\nApply it with: supervisor apply ${ID}`,
      ],
    ],
    [
      'which gate is red, and how to continue',
      inSandbox(kept(1), done, gate(FAILED), ended('exhausted', 'no agent is left')),
      [
        'attempts: 1 (main)',
        'gates: ✖ npm test: exit 1',
        'changes: 1 file, +30 -4 lines',
        'time: 6s',
        `Your files are unchanged.\nRead the output of gate npm test with: supervisor logs ${ID}\nReview the work with: supervisor diff ${ID}\nContinue with: supervisor resume ${ID}`,
      ],
    ],
    [
      'which gate is red, although a later attempt could not start',
      inSandbox(
        kept(1),
        done,
        gate(FAILED),
        attempt(2, 'other'),
        ends('attempt-2', { kind: 'failed', reason: 'agent_missing', message: 'not installed' }),
        ended('exhausted', 'no agent is left'),
      ),
      [
        'attempts: 2 (main, other)',
        'gates: ✖ npm test: exit 1 (after attempt 1)',
        'changes: 1 file, +30 -4 lines',
        'time: 8s',
        `Your files are unchanged.\nCheck what this machine lacks with: supervisor doctor\nThen: supervisor resume ${ID}\nOr let another agent continue with: supervisor resume ${ID} --agent AGENT`,
      ],
    ],
    [
      'nothing about the output of a gate that did not run in this run',
      inSandbox(
        kept(0),
        done,
        gate({ ...FAILED, knownSince: 'base' }),
        ended('failed', 'gate npm test failed: adds'),
      ),
      [
        'attempts: 1 (main)',
        'gates: ✖ npm test: exit 1; not run again: no file changed since the base',
        'changes: no file',
        'time: 6s',
        `Continue with: supervisor resume ${ID}`,
      ],
    ],
    [
      'that nothing changed, and does not offer to apply it',
      inSandbox(kept(0), done, gate(PASSED), ended('succeeded', 'done')),
      ['attempts: 1 (main)', 'gates: ✔ npm test', 'changes: no file', 'time: 6s'],
    ],
    [
      'that an agent without a copy of the project worked in the project itself',
      [submitted(), attempt(1, 'main'), started('none'), done, ended('succeeded', 'done')].map(
        (fact, place): RecordedRun => [place, fact],
      ),
      [
        'attempts: 1 (main)',
        'gates: none has checked the work',
        'changes: not counted: the agent worked directly in the project',
        'time: 4s',
      ],
    ],
    [
      'that a run which was stopped before its first attempt has done nothing',
      [
        [0, submitted()],
        [3, ended('cancelled', 'stopped')],
      ],
      ['changes: no file', 'time: 3s', `Continue the run with: supervisor resume ${ID}`],
    ],
  ];
  for (const [why, events, expected] of cases)
    test(why, () => assert.deepEqual(summary(events, { added: 30, removed: 4 }), expected));
});
