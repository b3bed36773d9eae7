import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { APPROVAL, pressed, question, topState } from '../../test/support/top-fixture.ts';
import type { Effect } from './effect.ts';
import type { TopState } from './top-state.ts';

const ENTER = '\r';
const ESCAPE = '\u001B';
const [UP, DOWN] = ['\u001B[A', '\u001B[B'];
const RUN = 'aaaaaaaaa1';
const WORK = APPROVAL.work;

function review(more: Partial<typeof APPROVAL> = {}): TopState {
  const approval = { ...APPROVAL, ...more };
  const line = { kind: 'added', text: 'x', before: null, after: 7 } as const;
  const files = [{ path: 'src/a.ts', notes: [], hunks: [{ header: '@@', lines: [line] }] }];
  const { state } = pressed(topState(100, 20, [question(RUN, { approval })]), ['d']);
  return { ...state, change: { run: RUN, approval, files, leftOut: null, problem: null } };
}

const HIGH: Partial<typeof APPROVAL> = {
  needs: { tier: 'high', reasons: [], peopleMin: 1, approvers: ['ann'], approvedBy: [] },
};
const asks = (): TopState => topState(100, 20, [question(RUN)]);

const cases: readonly [
  why: string,
  state: () => TopState,
  keys: readonly string[],
  expected: readonly Effect[],
][] = [
  ['q leaves', asks, ['q'], [{ kind: 'quit', code: 0 }]],
  ['Ctrl-C leaves, also within a question', asks, ['a', '\u0003'], [{ kind: 'quit', code: 130 }]],
  ['Ctrl-Z suspends', asks, ['\u001A'], [{ kind: 'suspend' }]],
  ['x stops only after a yes', asks, ['x'], []],
  ['x and a no stop nothing', asks, ['x', 'n'], []],
  ['x and Enter stop nothing: only a yes counts', asks, ['x', ENTER], []],
  [
    'x and yes stop the run',
    asks,
    ['x', 'y'],
    [{ kind: 'signal', run: RUN, signal: 'stop', command: `supervisor stop ${RUN}` }],
  ],
  [
    'K and yes kill the run',
    asks,
    ['K', 'y'],
    [{ kind: 'signal', run: RUN, signal: 'kill', command: `supervisor kill ${RUN}` }],
  ],
  [
    'p pauses',
    asks,
    ['p'],
    [{ kind: 'signal', run: RUN, signal: 'pause', command: `supervisor pause ${RUN}` }],
  ],
  [
    'a answers a question',
    asks,
    ['a', '24', ENTER],
    [
      {
        kind: 'answer',
        run: RUN,
        key: 'ask-1',
        choice: '24',
        command: `supervisor answer ${RUN} 24`,
      },
    ],
  ],
  [
    'an instruction goes to all marked runs that it means something to, after a yes',
    asks,
    ['*', 'x', 'y'],
    [
      {
        kind: 'signals',
        runs: ['aaaaaaaaa1', 'aaaaaaaaa2', 'aaaaaaaaa3'],
        signal: 'stop',
        command: 'supervisor stop aaaaaaaaa1 aaaaaaaaa2 aaaaaaaaa3',
      },
    ],
  ],
  [
    'the space bar marks runs one by one, and unmarks them',
    asks,
    [' ', 'j', ' ', 'j', ' ', 'k', ' ', 'p'],
    [
      {
        kind: 'signals',
        runs: ['aaaaaaaaa1', 'aaaaaaaaa3'],
        signal: 'pause',
        command: 'supervisor pause aaaaaaaaa1 aaaaaaaaa3',
      },
    ],
  ],
  ['an instruction that means nothing to the marked runs is not sent', asks, [' ', 'r'], []],
  [
    'Escape unmarks, and the next instruction is for one run again',
    asks,
    ['*', ESCAPE, 'p'],
    [{ kind: 'signal', run: RUN, signal: 'pause', command: `supervisor pause ${RUN}` }],
  ],
  ['an empty answer is not sent', asks, ['a', ENTER], []],
  ['Escape sends nothing', asks, ['a', '24', ESCAPE, ENTER], []],
  [
    'a message of a person is quoted for a shell',
    asks,
    ['Q', "look at 'x'", ENTER],
    [
      {
        kind: 'tell',
        run: RUN,
        request: { verb: 'queue', text: "look at 'x'" },
        command: `supervisor queue ${RUN} 'look at '\\''x'\\'''`,
      },
    ],
  ],
  ['a paste is no series of keys', asks, [`${ESCAPE}[200~xyK${ESCAPE}[201~`], []],
  [
    'a paste with line ends is one text',
    asks,
    ['a', `${ESCAPE}[200~2\r\n4${ESCAPE}[201~`, ENTER],
    [
      {
        kind: 'answer',
        run: RUN,
        key: 'ask-1',
        choice: '2 4',
        command: `supervisor answer ${RUN} '2 4'`,
      },
    ],
  ],
  [
    'an approval counts for the tree that is shown',
    review,
    ['a', 'y'],
    [
      {
        kind: 'decide',
        run: RUN,
        request: { decision: 'approve', work: WORK, channel: 'terminal' },
        command: `supervisor approve ${RUN} --tree ${WORK.slice(0, 12)}`,
      },
    ],
  ],
  [
    'high risk needs a name and a secret, and the command has no secret',
    () => review(HIGH),
    ['a', 'ann', ENTER, 'open sesame', ENTER],
    [
      {
        kind: 'decide',
        run: RUN,
        request: {
          decision: 'approve',
          as: 'ann',
          secret: 'open sesame',
          work: WORK,
          channel: 'terminal',
        },
        command: `supervisor approve ${RUN} --as ann --tree ${WORK.slice(0, 12)}`,
      },
    ],
  ],
  [
    'comments on lines go back with their place',
    review,
    ['j', 'c', 'name it sum', ENTER, 'b', 'and test it', ENTER],
    [
      {
        kind: 'decide',
        run: RUN,
        request: {
          decision: 'send-back',
          text: 'src/a.ts:7: name it sum\nand test it',
          work: WORK,
          channel: 'terminal',
        },
        command: `supervisor comment ${RUN} 'src/a.ts:7: name it sum\nand test it'`,
      },
    ],
  ],
  [
    'x on a review rejects, with a reason',
    review,
    ['x', 'too large', ENTER],
    [
      {
        kind: 'decide',
        run: RUN,
        request: { decision: 'reject', text: 'too large', work: WORK, channel: 'terminal' },
        command: `supervisor reject ${RUN} 'too large'`,
      },
    ],
  ],
  ['a run that has ended takes no action', asks, ['G', 'x', 'y', 'p'], []],
];

describe('a key', () => {
  for (const [why, state, keys, expected] of cases)
    test(why, () => assert.deepEqual(pressed(state(), keys).effects, expected));

  test('never shows the secret of an approver', async () => {
    const { draw } = await import('./draw.ts');
    const { UNICODE } = await import('../../test/support/top-fixture.ts');
    const { state } = pressed(review(HIGH), ['a', 'ann', ENTER, 'sesame']);
    assert.doesNotMatch(draw(state, UNICODE).join('\n'), /sesame/);
  });

  test('leads back with Escape, one screen each', () => {
    const { state } = pressed(asks(), [ENTER, '2', 'T', ESCAPE, ESCAPE]);
    assert.deepEqual(
      state.screens.map(({ kind }) => kind),
      ['list'],
    );
  });

  test('jumps to a run by the beginning of its id, and says if there is none', () => {
    const { state } = pressed(asks(), [':', 'aaaaaaaaa3', ENTER]);
    assert.deepEqual(state.screens.at(-1), {
      kind: 'run',
      run: 'aaaaaaaaa3',
      tab: 'output',
      scroll: 0,
    });
    const none = pressed(asks(), [':', 'ff', ENTER]).state;
    assert.equal(none.notice?.text, 'No run here has an id that begins with "ff".');
    const several = pressed(asks(), [':', 'aa', ENTER]).state;
    assert.match(several.notice?.text ?? '', /^4 runs have an id/);
  });

  test('selects the same run after the list has changed', () => {
    const { state } = pressed(asks(), ['j']);
    const [first] = state.board.rows?.values() ?? [];
    const without = new Map(
      [...(state.board.rows ?? [])].filter(([id]) => id !== first?.row.view.id),
    );
    const next = pressed({ ...state, board: { ...state.board, rows: without } }, ['p']);
    assert.deepEqual(
      next.effects.map((one) => 'run' in one && one.run),
      ['aaaaaaaaa2'],
    );
  });
});

test('Tab and the arrows complete a query, as in the dashboard', () => {
  const cases: readonly [keys: readonly string[], query: string][] = [
    [['is:ne', '\t', ENTER], 'is:needs-you'],
    [['pro', '\t', '\t', ENTER], 'project:shop'],
    [['is:c', DOWN, DOWN, ENTER, ENTER], 'is:cancelled'],
    [['is:c', DOWN, UP, UP, '\t', ENTER], 'is:cooling'],
    [['is:nonsense', '\t', ENTER], 'is:nonsense'],
    [['is:ne', ENTER], 'is:ne'],
  ];
  for (const [keys, query] of cases)
    assert.equal(pressed(asks(), ['/', ...keys]).state.query, query, keys.join(' '));
});

test('the field for what goes back counts the comments on lines', () => {
  const one = ['j', 'c', 'name it sum', ENTER];
  const title = (keys: readonly string[]): string | undefined =>
    pressed(review(), [...keys, 'b']).state.prompt?.title;
  assert.deepEqual(
    [title([]), title(one)],
    ['What has to change?', 'Besides your comments on 1 line'],
  );
});
