import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { inProcessCli } from '../../../../test/support/cli-harness.ts';

const SECRET = 'horse-battery-staple-9';
const TASK = `Say <script>alert(1)</script> and ${SECRET}`;

describe('the capsule of a run', { timeout: 120_000 }, () => {
  test('is one new file without script and secrets, which verify accepts as long as it is unchanged', async () => {
    await using cli = await inProcessCli();
    const run = (await cli.say(['run', TASK, '--agent', 'scripted', '--detach'])).out.trim();
    await cli.say(['wait', run]);
    const env = { SUPERVISOR_HOME: cli.dir, MY_PASSWORD: SECRET };
    const file = join(cli.dir, 'night.html');
    const written = await cli.say(['capsule', run, '-o', file], { env });
    assert.equal(written.code, 0, written.err);
    const html = await readFile(file, 'utf8');
    assert.doesNotMatch(html, new RegExp(SECRET));
    assert.match(html, /Say &lt;script&gt;alert\(1\)&lt;\/script&gt; and \[redacted\]/);
    assert.doesNotMatch(html, /<script>/);
    assert.equal((await stat(file)).mode % 0o1000, 0o600);
    const checked = await cli.say(['capsule', 'verify', file, '--json'], { env });
    assert.deepEqual(
      [checked.code, (JSON.parse(checked.out) as { problems: string[] }).problems],
      [0, []],
    );
    const again = await cli.say(['capsule', run, '-o', file]);
    assert.deepEqual([again.code, /exists already/.test(again.err)], [2, true]);
    await writeFile(file, html.replace('<h1>Say', '<h1>Do not say'));
    const changed = await cli.say(['capsule', 'verify', file]);
    assert.deepEqual(
      [changed.code, changed.out],
      [1, 'The page does not show what its facts say: its text was changed.\n'],
    );
  });

  const refused: readonly [why: string, name: string, text: string | null][] = [
    ['a file that is not there', 'none.html', null],
    ['a page of another kind', 'page.html', '<html></html>'],
    [
      'data that is cut off',
      'cut.html',
      '<script type="application/json" id="capsule">{"content":',
    ],
  ];
  for (const [why, name, text] of refused)
    test(`is refused: ${why}`, async () => {
      await using cli = await inProcessCli();
      const file = join(cli.dir, name);
      if (text !== null) await writeFile(file, text);
      assert.equal((await cli.say(['capsule', 'verify', file])).code, 2);
    });
});
