import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { parseDiff } from '../base/parse-diff.ts';
import { foldBoard } from '../protocol/views/board-state.ts';
import { displayWidth } from '../host/output/fit-lines.ts';
import {
  APPROVAL,
  boardRow,
  PLAIN,
  pressed,
  question,
  screenText,
  topState,
  UNICODE,
} from '../../test/support/top-fixture.ts';
import { draw } from './draw.ts';
import { chooseLook } from './look.ts';
import type { TopState } from './top-state.ts';

const ENTER = '\r';
const ESCAPE = '\u001B';
const DOWN = '\u001B[B';

const LONG = question('aaaaaaaaa1', {
  question:
    'The cart has two tables for prices, and they differ in eleven rows. Which of the two is right, and what becomes of the other one?',
  choices: ['prices', 'prices_v2'],
});

const PATCH = `diff --git a/src/auth.ts b/src/auth.ts
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -1,2 +1,2 @@
 same
-old
+new
diff --git a/b.ts b/b.ts
--- a/b.ts
+++ b/b.ts
@@ -1 +1 @@
-x
+y
`;

function reviewed(columns: number, rows: number): TopState {
  const { state } = pressed(topState(columns, rows), ['d']);
  const files = parseDiff(PATCH);
  return {
    ...state,
    change: { run: 'aaaaaaaaa1', approval: APPROVAL, files, leftOut: null, problem: null },
  };
}

function withOutput(state: TopState, text: string): TopState {
  const { state: open } = pressed(state, ['j', ENTER]);
  const board = { ...open.board, open: { id: 'aaaaaaaaa2', events: [], tail: [], leftOut: 0 } };
  const chunk = { text, stream: 'stdout', key: 'attempt-1', title: 'attempt-1: codex' } as never;
  const item = { kind: 'output', run: 'aaaaaaaaa2', chunks: [chunk], leftOut: 0 } as const;
  return { ...open, board: foldBoard(board, item, 0) };
}

const screens: readonly [why: string, state: () => TopState, shown: readonly string[]][] = [
  [
    'the list on a small screen: one line for each run, with what needs a person at the top',
    () => topState(60, 15),
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '▸ ◆ Move the cart t…  approve, medium risk: 2…   waits 5m00s',
      '  ● Search in the s…  running                          5m00s',
      '  ◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      'a answer or approve  enter open the run  ? keys  q leave',
    ],
  ],
  [
    'the list on a larger screen: groups and agents',
    () => topState(100, 20),
    [
      'Supervisor  1 needs you  1 working  1 waiting  1 done                                        owner ●',
      'needs you 1',
      '▸ ◆ Move the cart to the new inte…                  approve, medium risk: 2 files +21…   waits 5m00s',
      'working 1',
      '  ● Search in the shop              codex           running                                    5m00s',
      'waiting 1',
      '  ◌ Translate                       codex           cooling                                    5m00s',
      'done 1',
      '  ✔ Model                           codex           succeeded                                  1m00s',
      'a answer or approve  enter open the run  l its output  w why it stands there  ? keys  q leave',
    ],
  ],
  [
    'a filter shows what it leaves, and the query',
    () => pressed(topState(60, 15), ['/', 'is:done', ENTER]).state,
    [
      '0 need you  0 working  0 waiting  1 done             owner ●',
      '▸ ✔ Model             succeeded                        1m00s',
      'Shown: is:done',
      'enter open the run  l its output  ? keys  q leave',
    ],
  ],
  [
    'a query is completed while it is typed, and the chosen word is marked',
    () => pressed(topState(60, 15), ['/', 'is:', DOWN]).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '▸ ◆ Move the cart t…  approve, medium risk: 2…   waits 5m00s',
      '  ● Search in the s…  running                          5m00s',
      '  ◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      'tab  ▸is:needs-you  is:active  is:ended  is:working  is:wai…',
      'Show: is:▏',
      '$ supervisor status is:',
    ],
  ],
  [
    'the selected run shows its whole question',
    () => topState(60, 15, [LONG]),
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '▸ ◆ Move the cart t…  asks: The cart has two …   waits 5m00s',
      '  ● Search in the s…  running                          5m00s',
      '  ◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      'asks: The cart has two tables for prices, and they differ in',
      'eleven rows. Which of the two is right, and what becomes of',
      'the other one? (prices, prices_v2)',
      'a answer or approve  enter open the run  ? keys  q leave',
    ],
  ],
  [
    'a long question stands above the line for the answer',
    () => pressed(topState(60, 15, [LONG]), ['a', 'the second']).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '▸ ◆ Move the cart t…  asks: The cart has two …   waits 5m00s',
      '  ● Search in the s…  running                          5m00s',
      '  ◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      'The cart has two tables for prices, and they differ in',
      'eleven rows. Which of the two is right, and what becomes of',
      'the other one? (prices, prices_v2)',
      'Your answer: the second▏',
      "$ supervisor answer aaaaaaaaa1 'the second'",
    ],
  ],
  [
    'a run shows its whole question',
    () => pressed(topState(60, 15, [LONG]), [ENTER]).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '◆ Move the cart to the new interface  aaaaaaaaa1',
      'waits for you  no agent  shop  5m00s',
      'asks: The cart has two tables for prices, and they differ in',
      'eleven rows. Which of the two is right, and what becomes of',
      'the other one?',
      '1 output  2 story  3 timeline  4 facts',
      'No output yet.',
      'a answer or approve  1 output  2 story  ? keys  q leave',
    ],
  ],
  [
    'marked runs, and what they can be told',
    () => pressed(topState(60, 15), ['*']).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '▸▪◆ Move the cart t…  approve, medium risk: 2…   waits 5m00s',
      ' ▪● Search in the s…  running                          5m00s',
      ' ▪◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      '3 runs marked  escape: mark none',
      'p pause 3  r retry now 1  n next agent 3  ? keys  q leave',
    ],
  ],
  [
    'a key that can not work now says why',
    () => pressed(topState(60, 15), ['j', 'a']).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '  ◆ Move the cart t…  approve, medium risk: 2…   waits 5m00s',
      '▸ ● Search in the s…  running                          5m00s',
      '  ◌ Translate         cooling                          5m00s',
      '  ✔ Model             succeeded                        1m00s',
      'a: this run asks nothing',
      'enter open the run  l its output  ? keys  q leave',
    ],
  ],
  [
    'the help lists only what works here',
    () => pressed(topState(60, 15), ['j', 'j', 'j', '?']).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      'Keys that work here',
      'enter   open the run              supervisor logs aaaaaaaaa4',
      'l       its output                supervisor logs aaaaaaaaa4',
      'w       why it stands there       supervisor why aaaaaaaaa4',
      'space   mark for several',
      '*       mark all active runs shown',
      '/       filter                    supervisor status',
      ':       jump to a run',
      'T       tree of agents            supervisor tree --all',
      '?       keys',
      'q       leave; the runs continue',
      'j k up down, page up and down, g G: move',
      'enter open the run  l its output  ? keys  q leave',
    ],
  ],
  [
    'a run shows the end of its output',
    () => withOutput(topState(60, 15), 'one\ntwo\n'),
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      '● Search in the shop  aaaaaaaaa2',
      'running  codex, attempt 1  shop  5m00s',
      '1 output  2 story  3 timeline  4 facts',
      ...['one', 'two'],
      '1 output  2 story  3 timeline  4 facts  ? keys  q leave',
    ],
  ],
  [
    'a review on a small screen: the risk, then one file line by line',
    () => pressed(reviewed(60, 15), ['j']).state,
    [
      '1 needs you  1 working  1 waiting  1 done            owner ●',
      'Move the cart to the new interface  aaaaaaaaa1',
      'asks for an approval: medium risk: touches auth  2 files',
      '+212 -40  tree 3f9c0a1b2c3d',
      'src/auth.ts  file 1 of 2',
      '       @@ -1,2 +1,2 @@',
      '▸    1  same',
      '       -old',
      '     2 +new',
      'c comment on the line  a approve  ? keys  q leave',
    ],
  ],
];

test('a review says what it does not show', () => {
  const state = reviewed(100, 15);
  assert.ok(state.change !== null);
  const change = { ...state.change, leftOut: '1 file of 3 is too large to show here' };
  const text = screenText({ ...state, change });
  assert.ok(text.includes('1 file of 3 is too large to show here'), text.join('\n'));
});

describe('a screen', () => {
  for (const [why, state, shown] of screens)
    test(why, () => assert.deepEqual(screenText(state()), shown));

  test('says what is wrong with a query', () => {
    const { state } = pressed(topState(100, 15), ['/', 'is:nothing', ENTER]);
    assert.match(screenText(state).at(-2) ?? '', /^"nothing" is not a value for is: Use one of: /);
  });

  test('greys when the owner is lost, says so, and keeps what it knew', () => {
    const lost = { ...topState(100, 15), link: { kind: 'lost', why: 'reconnecting …' } } as const;
    const [heading, ...others] = draw(lost, { ...UNICODE, hasColour: true });
    assert.match(heading ?? '', /owner lost: reconnecting …/);
    const body = others.filter((text) => /cart|Search|Model/.test(text));
    assert.equal(body.length, 3);
    for (const text of body)
      assert.deepEqual(
        new Set(
          text
            .split('\u001B')
            .slice(1)
            .map((one) => one.slice(0, 3)),
        ),
        new Set(['[2m', '[0m']),
      );
  });

  test('says that a change is shown as it was, once the run no longer asks about it', () => {
    const state = reviewed(80, 15);
    const later = { ...state, board: { ...state.board, questions: [] } };
    const words = 'The run no longer asks about this change: it is shown as it was.';
    assert.deepEqual(
      [state, later].map((one) => screenText(one).includes(words)),
      [false, true],
    );
  });

  test('names the project of a run if the list has several, and keeps a gap behind the agent', () => {
    const agent = 'scripted:plays-every-role';
    const rows = (...projects: string[]) =>
      projects.map((project, nth) =>
        boardRow(`aaaaaaaaa${nth + 1}`, 'Fix the test', { agent, project: `/home/ann/${project}` }),
      );
    const shown = (columns: number, ...projects: string[]): readonly string[] =>
      screenText(topState(columns, 15, [], rows(...projects))).filter((text) =>
        text.includes('Fix'),
      );
    assert.match(shown(80, 'shop', 'blog').join('\n'), /shop: Fix the test[^]*blog: Fix the test/);
    assert.doesNotMatch(shown(80, 'shop', 'shop').join('\n'), /shop/);
    assert.match(shown(160, 'shop', 'blog').join('\n'), /◌ Fix the test .* shop /);
    assert.match(shown(100, 'shop', 'shop')[0] ?? '', / scripted:plays… queued/);
  });

  test('for a screen reader has words, no marks, no color, and no age that changes by itself', () => {
    const shown = screenText(topState(60, 15), PLAIN);
    assert.equal(
      shown[2],
      'selected: needs you: Move the cart to the new interface, in shop, no agent, run aaaaaaaaa1. approve, medium risk: 2 files +212 -40',
    );
    const later = { ...topState(60, 15), now: 9_000_000 };
    assert.deepEqual(screenText(later, PLAIN), shown);
    assert.doesNotMatch(shown.join(''), /[▸◆●◌✔]/);
  });

  test('of a terminal without Unicode has ASCII marks only', () => {
    const look = chooseLook({ LANG: 'C' }, { hasColour: false, isPlain: false });
    const shown = screenText(topState(100, 20), look).join('').replaceAll('…', '');
    assert.equal(/[^ -~]/.exec(shown), null);
  });
});

const HOSTILE = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '\u001B[2J\u001B[H',
    '\u001B]0;title\u0007',
    '\u009B31m',
    'a\rb',
    '\u202Egnp.exe',
    '東京'.repeat(40),
    '👩‍👧'.repeat(30),
  ),
);

test('no task, output, question, name or diff controls the terminal or leaves its line', () => {
  fc.assert(
    fc.property(
      HOSTILE,
      fc.constantFrom([60, 15], [31, 8], [100, 20], [200, 50]),
      (text, [columns = 0, rows = 0]) => {
        const board = [boardRow('aaaaaaaaa1', text, { agent: text, project: `/x/${text}` })];
        const asked = [question('aaaaaaaaa1', { question: text })];
        const list = topState(columns, rows, asked, board);
        const output = withOutput(
          topState(
            columns,
            rows,
            [],
            [board[0], boardRow('aaaaaaaaa2', text)].flatMap((one) => one ?? []),
          ),
          text,
        );
        const approval = {
          ...APPROVAL,
          needs: { ...APPROVAL.needs, reasons: [text] },
        } as typeof APPROVAL;
        const review = pressed(
          topState(columns, rows, [question('aaaaaaaaa1', { approval })], board),
          ['d'],
        ).state;
        const change = {
          run: 'aaaaaaaaa1',
          approval,
          ...{ problem: null, leftOut: text },
          files: [
            {
              path: text,
              notes: [text],
              hunks: [
                { header: text, lines: [{ kind: 'added' as const, text, before: null, after: 1 }] },
              ],
            },
          ],
        };
        const prompt = pressed(list, [
          'a',
          '\u001B[200~' + text.replaceAll(ESCAPE, '') + '\u001B[201~',
        ]).state;
        for (const state of [
          list,
          output,
          { ...review, change },
          prompt,
          { ...list, notice: { text, isProblem: true } },
        ])
          for (const shown of draw(state, UNICODE)) {
            // oxlint-disable-next-line no-control-regex -- finding control characters is the point
            assert.doesNotMatch(shown, /[\u0000-\u001F\u007F-\u009F\u202A-\u202E]/);
            assert.ok(displayWidth(shown) <= columns, JSON.stringify(shown));
          }
      },
    ),
    { numRuns: 60 },
  );
});
