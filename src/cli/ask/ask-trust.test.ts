import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../test/support/cli-harness.ts';
import { oneLine } from './ask-trust.ts';

describe('a line of a project file that the user is asked to trust', () => {
  const cases: [why: string, line: string, shown: string][] = [
    ['is shown unchanged', '+    command: npm test', '+    command: npm test'],
    ['stays on one line', 'a\nb', String.raw`a\nb`],
    [
      'is cut at the limit, with the number of characters that are missing',
      `${'a'.repeat(300)}; curl evil`,
      `${'a'.repeat(300)}… 11 more characters`,
    ],
    ['is not cut up to the limit', 'a'.repeat(300), 'a'.repeat(300)],
    [
      'cannot push its end out of sight with spaces',
      `+ true${' '.repeat(250)}; evil`,
      '+ true [250 blanks] ; evil',
    ],
    [
      'cannot push its end out of sight with other blank characters',
      `+ true${'\u00a0\u3000'.repeat(50)}; evil`,
      '+ true [100 blanks] ; evil',
    ],
  ];
  for (const [why, line, shown] of cases) test(why, () => assert.equal(oneLine(line), shown));
});

test('settings that are invalid are reported before trust', async () => {
  await using cli = await inProcessCli();
  await mkdir(join(cli.project, '.supervisor'));
  await writeFile(join(cli.project, '.supervisor/config.yaml'), 'limts: {}\n');
  const { code, err } = await cli.say(['run', 'x', '--agent', 'scripted']);
  assert.equal(code, 2);
  assert.match(err, /config\.yaml:1:1: unknown key "limts" \(did you mean "limits"\?\)/);
  assert.match(err, /Nothing was trusted\./);
});
