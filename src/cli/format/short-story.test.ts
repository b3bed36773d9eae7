import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WhyView } from '../../reports/runs/explain-run.ts';
import { shortStory } from './short-story.ts';

type Cause = WhyView['chain'][number];

function cause(what: string, more: Partial<Cause> = {}): Cause {
  return { at: 0, what, evidence: [], ...more };
}

function evidence(line: string): Cause['evidence'] {
  return [{ source: 'cli', line, rule: 'exit' }];
}

describe('the story of a run without its details', () => {
  const cases: readonly [why: string, given: readonly Cause[], lines: string[], leftOut: number][] =
    [
      ['a short one is whole', [cause('one'), cause('two')], ['one', 'two'], 0],
      [
        'a detail is left out',
        [cause('one'), cause('short wait', { isDetail: true }), cause('two')],
        ['one', 'two'],
        1,
      ],
      [
        'only the last evidence is shown',
        [
          cause('one', { evidence: evidence('old') }),
          cause('two', { evidence: evidence('new') }),
          cause('end'),
        ],
        ['one', 'two', '  new', 'end'],
        1,
      ],
      [
        'the middle of a long one is left out',
        Array.from({ length: 13 }, (_, place) => cause(`${place}`)),
        ['0', '1', '2', '… 2 more …', '5', '6', '7', '8', '9', '10', '11', '12'],
        1,
      ],
      [
        'no line is left out for the sake of another line',
        Array.from({ length: 12 }, (_, place) => cause(`${place}`)),
        Array.from({ length: 12 }, (_, place) => `${place}`),
        0,
      ],
    ];
  for (const [why, given, lines, leftOut] of cases)
    test(why, () => {
      const story = shortStory([...given]);
      const shown = story.chain.flatMap(({ what, evidence: all }) => [
        what,
        ...all.map(({ line }) => `  ${line}`),
      ]);
      assert.deepEqual([shown, story.leftOut], [lines, leftOut]);
    });
});
