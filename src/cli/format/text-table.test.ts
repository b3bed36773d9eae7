import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { joinCells, layOutTable, placesThatFit } from './text-table.ts';

const COLUMNS = [
  { title: 'RUN' },
  { title: 'AGENT', least: 4 },
  { title: 'AGE', isRight: true },
  { title: 'TASK', least: 6 },
] as const;
const ROWS = [
  ['3f2a', 'claude-main', '3s', 'fix the failing test'],
  ['77aa', 'codex', '1h', '日本語の説明文です'],
];

function lines(isTty: boolean, width: number): readonly string[] {
  const { head, rows } = layOutTable({ isTty, width }, COLUMNS, ROWS);
  return [head, ...rows].map((cells) => joinCells(cells));
}

describe('a table', () => {
  const cases: [why: string, isTty: boolean, width: number, expected: readonly string[]][] = [
    [
      'has columns as wide as their cells',
      true,
      80,
      [
        'RUN   AGENT        AGE  TASK',
        '3f2a  claude-main   3s  fix the failing test',
        '77aa  codex         1h  日本語の説明文です',
      ],
    ],
    [
      'cuts its last column first, by columns of the screen',
      true,
      36,
      [
        'RUN   AGENT        AGE  TASK',
        '3f2a  claude-main   3s  fix the fai…',
        '77aa  codex         1h  日本語の説…',
      ],
    ],
    [
      'then cuts the next column that may be cut',
      true,
      24,
      ['RUN   AGENT  AGE  TASK', '3f2a  clau…   3s  fix t…', '77aa  codex   1h  日本…'],
    ],
    ['is never cut in a pipe', false, 20, lines(true, 80)],
  ];
  for (const [why, isTty, width, expected] of cases)
    test(why, () => assert.deepEqual(lines(isTty, width), expected));
});

test('leaves out columns only if the others do not fit, the first one first', () => {
  const columns = [
    { title: 'RUN' },
    { title: 'PROJECT', canHide: true },
    { title: 'GATE', canHide: true, least: 2 },
    { title: 'TASK', least: 6 },
  ] as const;
  const rows = [['3f2a', 'shop', 'lint', 'fix the failing test']];
  const places = (width: number, isTty = true): readonly number[] =>
    placesThatFit({ isTty, width }, columns, rows);
  assert.deepEqual(
    [25, 24, 15, 8].map((width) => places(width)),
    [
      [0, 1, 2, 3],
      [0, 2, 3],
      [0, 3],
      [0, 3],
    ],
  );
  assert.deepEqual(places(8, false), [0, 1, 2, 3]);
});
