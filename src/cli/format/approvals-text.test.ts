import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import type { CliContext } from '../cli-context.ts';
import type { ShownApproval } from './approvals-text.ts';
import { formatApprovals } from './approvals-text.ts';

const RUN = '3f2a91c04b';
const WAITING: ShownApproval = {
  ...{ run: RUN, key: 'ask-look-1', task: 'Fix the cart', project: '/home/ann/shop' },
  ...{ question: 'Approve?', choices: ['approve'], since: 0, over: null },
  ...{ parent: null, root: RUN, part: null },
  approval: {
    ...{ step: 'look', work: 'abcdef0123456789', files: 2, added: 1, deleted: 0 },
    names: ['src/cart.js', 'logo.png'],
    needs: {
      ...{ tier: 'high', reasons: ['it changes sensitive files: src/cart.js'] },
      ...{ peopleMin: 1, approvers: ['leads'], approvedBy: [] },
    },
  },
};
const ADVICE = `    Look at it: supervisor diff ${RUN}. Then: supervisor approve ${RUN} --as NAME, supervisor comment ${RUN} TEXT, supervisor edit ${RUN}, or supervisor reject ${RUN} --reason TEXT`;

const context = {
  clock: new ManualClock(65_000),
  terminal: { isTty: true, width: 80, colour: false },
} as unknown as CliContext;

const before = [
  `${RUN}  open for 1m05s  Fix the cart`,
  '    step     look',
  '    risk     high: it changes sensitive files: src/cart.js',
  '    work     abcdef012345, 2 files',
];
const after = ['    needs    one approver of leads', ADVICE];

describe('a change that waits for an approval', () => {
  const cases: readonly [why: string, more: Partial<ShownApproval>, middle: readonly string[]][] = [
    ['shows the names of its files', {}, ['      src/cart.js', '      logo.png']],
    [
      'shows the lines of each file, and what gates and reviewers said',
      {
        changes: [
          { path: 'src/cart.js', added: 12, removed: 3 },
          { path: 'logo.png', added: null, removed: null },
        ],
        steps: [
          { id: 'implement', state: 'passed', visits: 2 },
          { id: 'check', state: 'passed', visits: 1 },
          { id: 'commit', state: 'pending', visits: 0 },
        ],
      },
      [
        '      +12 -3    src/cart.js',
        '      binary    logo.png',
        '    steps    implement passed at visit 2, check passed',
      ],
    ],
    [
      'counts the files that are not shown',
      { approval: { ...WAITING.approval, files: 3 } },
      ['      src/cart.js', '      logo.png', '      and 1 more'],
    ],
  ];
  for (const [why, more, middle] of cases)
    test(why, () => {
      const shown = formatApprovals(context, [{ ...WAITING, ...more }]).split('\n');
      const files = more.approval?.files ?? 2;
      const start = before.map((line) => line.replace('2 files', `${files} files`));
      assert.deepEqual(shown, [...start, ...middle, ...after, '']);
    });

  test('is named as such if there is none', () => {
    assert.equal(formatApprovals(context, []), 'Nothing waits for an approval.\n');
  });
});
