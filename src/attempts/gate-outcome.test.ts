import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GateEnd } from './gate-outcome.ts';
import { combineBaseAndWork, judgeGate, GATE_TAIL_CHARS_MAX } from './gate-outcome.ts';
import type { GateOutcome } from '../protocol/gate-contract.ts';

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
  const cases: [why: string, end: GateEnd, said: string, outcome: GateOutcome][] = [
    ['has passed with 0', code(0), 'ok\n', { kind: 'passed', name: 'test' }],
    ['has failed with anything else', code(1), '1 failed\n', red(1, '1 failed')],
    [
      'that has failed without a word says that it printed nothing',
      code(2),
      ' \n',
      red(2, '[supervisor] this check printed nothing and ended with exit code 2'),
    ],
    [
      'that ran too long has failed, also when it ended well at last',
      { ...code(0), endedBy: 'time-limit' },
      'still at it\n',
      { ...red(null, 'still at it\nran past its 90 s'), timedOut: true } as GateOutcome,
    ],
    [
      'that filled the disk has failed',
      { exit: killed, endedBy: 'disk-limit', oom: false },
      '',
      red(null, 'wrote more than the sandbox may hold'),
    ],
    [
      'that was killed for its memory has failed, and says so',
      { exit: killed, endedBy: 'itself', oom: true },
      '',
      red(null, 'ran out of memory'),
    ],
    [
      'that was killed has failed',
      { exit: { kind: 'signal', signal: 'SIGSEGV' }, endedBy: 'itself', oom: false },
      'a\n',
      red(null, 'a\nwas ended by SIGSEGV'),
    ],
    [
      'that was called off was unable to say anything',
      { exit: killed, endedBy: 'us', oom: false },
      '',
      { kind: 'unable', name: 'test', why: 'it was called off' },
    ],
    [
      'that never started is red',
      { ...code(0), exit: { kind: 'not-started', code: 'SANDBOX', message: 'no sandbox' } },
      '',
      { kind: 'unable', name: 'test', why: 'no sandbox' },
    ],
    [
      'whose program is missing is red, and says what to do',
      code(127),
      'sh: jest: not found\n',
      {
        kind: 'unable',
        name: 'test',
        why: "a program that npm test needs isn't there (exit 127): sh: jest: not found. See that it is installed for the whole machine, or is part of the project or its setup.",
      },
    ],
    [
      'whose program is none is red',
      code(126),
      '',
      {
        kind: 'unable',
        name: 'test',
        why: "a program that npm test needs can't be executed (exit 126). See that it is installed for the whole machine, or is part of the project or its setup.",
      },
    ],
  ];
  for (const [why, end, said, outcome] of cases)
    test(why, () => assert.deepEqual(judgeGate(gate, end, said, {}), outcome));

  test('that judged by files of the base names them, green or red', () => {
    const restored = ['package.json'];
    assert.deepEqual(judgeGate(gate, code(0), '', { restored }), {
      kind: 'passed',
      name: 'test',
      restored,
    });
    assert.deepEqual(judgeGate(gate, code(1), 'no\n', { restored }), {
      ...red(
        1,
        'no\n[supervisor] this check is defined by package.json: it was run as it was before the work began, not as the work has it',
      ),
      restored,
    });
  });

  test('that ran tests of the base in place of changed ones names them, and tells the agent', () => {
    const tests = [{ path: 'a.test.js', how: 'changed' }];
    const outcome = judgeGate(gate, code(1), 'no\n', { tests });
    assert.ok(outcome.kind === 'failed');
    assert.match(
      outcome.tail,
      /these tests were run as they were before the work began: a\.test\.js/,
    );
    assert.deepEqual(outcome.tests, tests);
  });

  describe('that is green by the base has to hold as the work is, too', () => {
    const ofBase = { kind: 'passed', name: 'test', restored: ['check.sh'] } as const;
    const words =
      '[supervisor] it passes by check.sh as before the work, and not as the work has it';
    const rows: [ofWork: GateOutcome, outcome: GateOutcome][] = [
      [{ kind: 'passed', name: 'test' }, ofBase],
      [red(1, 'no'), red(1, `no\n${words}`)],
      [
        { kind: 'unable', name: 'test', why: 'gone' },
        { kind: 'unable', name: 'test', why: `gone\n${words}` },
      ],
    ];
    for (const [ofWork, outcome] of rows)
      test(ofWork.kind, () => assert.deepEqual(combineBaseAndWork(ofBase, ofWork), outcome));
  });

  test('keeps the end of a long tail, and no half of a character', () => {
    const outcome = judgeGate(gate, code(1), `${'🙂'.repeat(3000)}x`, {});
    assert.ok(outcome.kind === 'failed');
    assert.ok(outcome.tail.length <= GATE_TAIL_CHARS_MAX);
    assert.equal(outcome.tail.isWellFormed(), true);
    assert.equal(outcome.tail.endsWith('🙂x'), true);
  });
});
