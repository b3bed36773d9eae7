import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { oneLine } from './ask-trust.ts';

describe('a line of a project that a person is asked to trust', () => {
  const cases: [why: string, line: string, shown: string][] = [
    ['is shown as it is', '+    command: npm test', '+    command: npm test'],
    ['stays one line', 'a\nb', String.raw`a\nb`],
    [
      'says how much of it is cut',
      `${'a'.repeat(300)}; curl evil`,
      `${'a'.repeat(300)}… 11 more characters`,
    ],
    ['is whole up to the limit', 'a'.repeat(300), 'a'.repeat(300)],
    [
      'can not push its end out of sight with blanks',
      `+ true${' '.repeat(250)}; evil`,
      '+ true [250 blanks] ; evil',
    ],
    [
      'can not do so with other blanks',
      `+ true${'\u00a0\u3000'.repeat(50)}; evil`,
      '+ true [100 blanks] ; evil',
    ],
  ];
  for (const [why, line, shown] of cases) test(why, () => assert.equal(oneLine(line), shown));
});
