import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { PagerContext } from './pager.ts';
import { showPaged } from './pager.ts';

const TERMINAL = { isTty: true, width: 80, colour: false };
const GIT = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: '/nonexistent' };

function contextIn(cwd: string, more: Partial<PagerContext>, printed: string[]): PagerContext {
  return {
    out: (text) => void printed.push(text),
    terminal: TERMINAL,
    cwd,
    env: GIT,
    onInterrupt: () => () => {},
    ...more,
  };
}

describe('a long text', () => {
  type Row = [
    why: string,
    given: (file: string) => Partial<PagerContext>,
    isPlain: boolean,
    paged: string | undefined,
  ];
  const into = (file: string, word: string) => `(echo ${word}; cat) > ${file}`;
  const rows: Row[] = [
    [
      'is shown in PAGER',
      (file) => ({ env: { ...GIT, PAGER: into(file, 'pager') } }),
      false,
      'pager\ntext\n',
    ],
    [
      'is shown in the pager of git first',
      (file) => ({
        env: {
          ...{ ...GIT, PAGER: 'false', GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.pager' },
          GIT_CONFIG_VALUE_0: into(file, 'core'),
        },
      }),
      false,
      'core\ntext\n',
    ],
    [
      'is shown in GIT_PAGER before all others, with the flags of less',
      (file) => ({ env: { ...GIT, PAGER: 'false', GIT_PAGER: `(echo $LESS; cat) > ${file}` } }),
      false,
      'FRX\ntext\n',
    ],
    ['is printed if the pager is cat', () => ({ env: { ...GIT, PAGER: 'cat' } }), false, undefined],
    ['is printed with --no-pager', () => ({ env: { ...GIT, PAGER: 'false' } }), true, undefined],
    [
      'is printed without a terminal',
      () => ({ env: { ...GIT, PAGER: 'false' }, terminal: { ...TERMINAL, isTty: false } }),
      false,
      undefined,
    ],
    [
      'is printed if the pager does not exist',
      () => ({ env: { ...GIT, PAGER: 'no-such-pager 2>/dev/null' } }),
      false,
      undefined,
    ],
  ];
  for (const [why, given, isPlain, paged] of rows)
    test(why, async () => {
      await using dir = await tempDir();
      const file = join(dir.path, 'paged');
      const printed: string[] = [];
      await showPaged(contextIn(dir.path, given(file), printed), 'text\n', { isPlain });
      if (paged === undefined) assert.deepEqual(printed, ['text\n']);
      else assert.deepEqual([readFileSync(file, 'utf8'), printed], [paged, []]);
    });

  test('may be left before its end', async () => {
    await using dir = await tempDir();
    const printed: string[] = [];
    const env = { ...GIT, PAGER: 'head -c 1 > first' };
    const text = 'long '.repeat(1_000_000);
    await showPaged(contextIn(dir.path, { env }, printed), text, { isPlain: false });
    assert.deepEqual([readFileSync(join(dir.path, 'first'), 'utf8'), printed], ['l', []]);
  });
});
