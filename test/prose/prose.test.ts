/** The prose check finds the words and the sentences that it should, and nothing in code or quotations. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { paragraphsOfCode, paragraphsOfMarkdown } from './paragraphs.ts';
import { checkParagraph, SENTENCE_WORDS_MAX } from './rules.ts';

const found = (text: string): readonly string[] =>
  checkParagraph(text).map((problem) => problem.found);

const words = (count: number): string => Array.from({ length: count }, () => 'word').join(' ');

const SENTENCES: readonly (readonly [why: string, text: string, found: readonly string[]])[] = [
  ['a plain sentence', 'The owner stops the run.', []],
  ['a process as a person', 'Nobody answers, so whoever asked waits.', ['"Nobody"', '"whoever"']],
  ['an old word', 'Mend it, or begin afresh.', ['"Mend"', '"afresh"']],
  ['part of another word', 'Amend the recommendation of the department.', []],
  ['a running program', 'The run goes on after that.', ['"goes on"']],
  ['a log in', 'The label goes on the box.', []],
  ['a resumed run', 'It is taken up by the\nnext owner.', ['"taken up"']],
  ['words on two lines', 'The agent lives\n long.', ['"lives long"']],
  ['a sandbox', 'Tokens stay outside the walls.', ['"walls"']],
  ['a wall clock', 'The wall clock was set back.', []],
  ['an id in backticks', 'The fact `nobody` is stored, and ``whoever ` too``.', []],
  ['output in quotation marks', 'It prints "nobody rests" and exits.', []],
  ['an address', 'See https://example.com/whoever for that.', []],
  ['the address of a link', 'See [the page](docs/whoever.md) for that.', []],
  ['a possessive', 'It is a bug of ours, or a file of yours.', ['"of ours"', '"of yours"']],
];

describe('the words of a paragraph', () => {
  for (const [why, text, expected] of SENTENCES)
    test(why, () => assert.deepEqual(found(text), expected));
});

const LENGTHS: readonly (readonly [why: string, text: string, counts: readonly number[]])[] = [
  ['as long as allowed', `${words(SENTENCE_WORDS_MAX)}.`, []],
  ['one word longer', `${words(SENTENCE_WORDS_MAX + 1)}.`, [SENTENCE_WORDS_MAX + 1]],
  ['two sentences', `${words(20)}. W${words(20)}.`, []],
  ['the second is too long', `${words(20)}. W${words(40)}.`, [40]],
  ['a question and an answer', `${words(20)}? W${words(20)}!`, []],
  ['a full stop inside a word', `${words(20)} at 1.5 s in a.ts ${words(20)}.`, [45]],
  ['an abbreviation', `${words(20)}, e.g. Node, ${words(20)}.`, [42]],
  ['a quotation is one word', `${words(20)} "${words(20)}" ${words(10)}.`, []],
  ['a sentence begins with code', `${words(20)}. \`${words(2)}\` ${words(20)}.`, []],
  ['code is one word', `${words(20)} \`${words(20)}\` ${words(10)}.`, []],
];

describe('the length of a sentence', () => {
  for (const [why, text, counts] of LENGTHS)
    test(why, () =>
      assert.deepEqual(
        found(text).map((problem) => Number.parseInt(problem, 10)),
        counts,
      ),
    );

  test('a cell of a table has its words checked, and not its length', () => {
    const problems = checkParagraph(`| nobody | ${words(50)} |`, true);
    assert.deepEqual(
      problems.map((problem) => problem.found),
      ['"nobody"'],
    );
  });
});

const texts = (paragraphs: readonly { readonly text: string; readonly line: number }[]): unknown =>
  paragraphs.map(({ text, line }) => [line, text.trim().replaceAll(/\s+/g, ' ')]);

describe('the prose of a file', () => {
  test('a document: paragraphs, headings, items and rows, without code', () => {
    const source = [
      '# Title',
      'One',
      'paragraph.',
      '',
      '- first',
      '  item',
      '- second',
      '```sh',
      'nobody',
      '```',
      '| a | b |',
      '[ref]: https://example.com',
    ].join('\n');
    assert.deepEqual(texts(paragraphsOfMarkdown(source)), [
      [1, '# Title'],
      [2, 'One paragraph.'],
      [5, '- first item'],
      [7, '- second'],
      [11, '| a | b |'],
    ]);
  });

  test('code: comments, names of tests, refusals and descriptions, and no other string', () => {
    const source = [
      '/**',
      ' * A header',
      ' * of two lines.',
      ' */',
      "import { test } from 'node:test';",
      "const plain = 'not a message';",
      '// a comment',
      '// of two lines',
      'test(`a name of ${plain}`, () => {}); // oxlint-disable-line no-something',
      "test.skip('a second name', () => {});",
      "throw new Refusal('a.b', 'It is ' + plain + ' here.', { hint: 'Do this.' });",
      "z.string().describe('A key of yours.');",
    ].join('\n');
    assert.deepEqual(texts(paragraphsOfCode('a.ts', source)), [
      [2, 'A header of two lines.'],
      [7, 'a comment of two lines'],
      [9, 'a name of x'],
      [10, 'a second name'],
      [11, 'It is x here.'],
      [11, 'Do this.'],
      [12, 'A key of yours.'],
    ]);
  });

  test('every string of a command counts as a message', () => {
    const source = "option('--all', 'all of them');\nconst id = 'run-1';\n";
    assert.deepEqual(texts(paragraphsOfCode('a.ts', source, 'all')), [[1, 'all of them']]);
  });
});
