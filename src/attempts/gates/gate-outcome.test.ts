import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GateEnd } from './gate-outcome.ts';
import {
  baseTestsBasis,
  combineBaseAndWork,
  judgeGate,
  GATE_TAIL_CHARS_MAX,
} from './gate-outcome.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';

const gate = { name: 'test', command: ['npm', 'test'], timeoutMs: 90_000 };
const code = (number: number): GateEnd => ({
  exit: { kind: 'code', code: number },
  endedBy: 'itself',
  oom: false,
});
const red = (exit: number | null, tail: string): GateOutcome => ({
  kind: 'failed',
  name: 'test',
  exit,
  tail,
});

describe('a gate', () => {
  const killed = { kind: 'signal', signal: 'SIGKILL' } as const;
  const cases: [why: string, end: GateEnd, output: string, outcome: GateOutcome][] = [
    ['passes with exit code 0', code(0), 'ok\n', { kind: 'passed', name: 'test' }],
    ['fails with any other exit code', code(1), '1 failed\n', red(1, '1 failed')],
    [
      'that fails without output reports that it printed nothing',
      code(2),
      ' \n',
      red(2, '[supervisor] this check printed nothing and ended with exit code 2'),
    ],
    [
      'that runs too long fails, even if it exits with 0',
      { ...code(0), endedBy: 'time-limit' },
      'still at it\n',
      {
        ...red(null, 'still at it\nran longer than its limit of 90 s'),
        timedOut: true,
      } as GateOutcome,
    ],
    [
      'that fills the disk fails',
      { exit: killed, endedBy: 'disk-limit', oom: false },
      '',
      red(null, 'wrote more than the sandbox may hold'),
    ],
    [
      'that is killed for its memory fails and reports the reason',
      { exit: killed, endedBy: 'itself', oom: true },
      '',
      red(null, 'ran out of memory'),
    ],
    [
      'that is killed by a signal fails',
      { exit: { kind: 'signal', signal: 'SIGSEGV' }, endedBy: 'itself', oom: false },
      'a\n',
      red(null, 'a\nwas ended by SIGSEGV'),
    ],
    [
      'that is cancelled is unable to judge',
      { exit: killed, endedBy: 'us', oom: false },
      '',
      { kind: 'unable', name: 'test', why: 'it was cancelled' },
    ],
    [
      'that never started is red',
      { ...code(0), exit: { kind: 'not-started', code: 'SANDBOX', message: 'no sandbox' } },
      '',
      { kind: 'unable', name: 'test', why: 'no sandbox' },
    ],
    [
      'whose program is missing is red, and the reason says what to do',
      code(127),
      'sh: jest: not found\n',
      {
        kind: 'unable',
        name: 'test',
        why: "a program that npm test needs isn't there (exit 127): sh: jest: not found. Install it for the whole machine, or add it to the project or its setup.",
      },
    ],
    [
      'whose program cannot be executed is red',
      code(126),
      '',
      {
        kind: 'unable',
        name: 'test',
        why: "a program that npm test needs can't be executed (exit 126). Install it for the whole machine, or add it to the project or its setup.",
      },
    ],
  ];
  for (const [why, end, output, outcome] of cases)
    test(why, () => assert.deepEqual(judgeGate(gate, end, output, {}), outcome));

  test('that uses files of the base lists them, green or red', () => {
    const restored = ['package.json'];
    assert.deepEqual(judgeGate(gate, code(0), '', { restored }), {
      kind: 'passed',
      name: 'test',
      restored,
    });
    assert.deepEqual(judgeGate(gate, code(1), 'no\n', { restored }), {
      ...red(
        1,
        'no\n[supervisor] this check is defined by package.json. Supervisor ran it with the version from before the work began, not with the version of the work',
      ),
      restored,
    });
  });

  test('that runs tests of the base instead of changed ones lists them, also for the agent', () => {
    const tests = [{ path: 'a.test.js', how: 'changed' }];
    const outcome = judgeGate(gate, code(1), 'no\n', { tests });
    assert.ok(outcome.kind === 'failed');
    assert.match(
      outcome.tail,
      /these tests were run as they were before the work began: a\.test\.js/,
    );
    assert.deepEqual(outcome.tests, tests);
  });

  describe('that is green with the files of the base must be green with those of the work', () => {
    const ofBase = { kind: 'passed', name: 'test', restored: ['check.sh'] } as const;
    const explanation =
      '[supervisor] this check passes with check.sh from before the work, but not with the version of the work';
    const rows: [ofWork: GateOutcome, outcome: GateOutcome][] = [
      [{ kind: 'passed', name: 'test' }, ofBase],
      [red(1, 'no'), red(1, `no\n${explanation}`)],
      [
        { kind: 'unable', name: 'test', why: 'gone' },
        { kind: 'unable', name: 'test', why: `gone\n${explanation}` },
      ],
    ];
    for (const [ofWork, outcome] of rows)
      test(ofWork.kind, () => assert.deepEqual(combineBaseAndWork(ofBase, ofWork), outcome));
  });

  describe('with the tests of the base says about changed tests', () => {
    const rows: [why: string, outcome: GateOutcome, said: string | undefined][] = [
      ['nothing if they are green', { kind: 'passed', name: 'test' }, undefined],
      ['that they are red', red(1, 'Error: 3 is not 4'), 'gate test failed: Error: 3 is not 4'],
      [
        'that they can not run',
        { kind: 'unable', name: 'test', why: 'tsx is gone' },
        'gate test could not run: tsx is gone',
      ],
    ];
    for (const [why, outcome, said] of rows)
      test(why, () => assert.equal(baseTestsBasis(outcome).baseTestsRed, said));
  });

  test('keeps the end of a long tail, and splits no character', () => {
    const outcome = judgeGate(gate, code(1), `${'🙂'.repeat(3000)}x`, {});
    assert.ok(outcome.kind === 'failed');
    assert.ok(outcome.tail.length <= GATE_TAIL_CHARS_MAX);
    assert.equal(outcome.tail.isWellFormed(), true);
    assert.equal(outcome.tail.endsWith('🙂x'), true);
  });
});
