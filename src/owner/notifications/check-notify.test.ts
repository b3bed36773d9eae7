import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { isRefusal } from '../../base/errors.ts';
import { checkNotify, requireNotifyProgram } from './check-notify.ts';

describe('an address for notifications', () => {
  const refused: [notify: string, message: RegExp, hint: RegExp][] = [
    ['  ', /neither a command nor a URL/, /http:\/\/ or https:\/\//],
    ['"open', /neither a command nor a URL/, /notify-send/],
    ['http://', /neither a command nor a URL/, /notify-send/],
    ['ftp://x', /has the scheme ftp\. .* http and https only/, /http:\/\/ or https:\/\//],
    ['ntfy://topic/x', /has the scheme ntfy/, /https:\/\//],
    ['mailto:me@example.com', /has the scheme mailto/, /a command that sends it elsewhere/],
    [
      'tell me | mail me',
      /contains \|, which only a shell understands/,
      /--notify 'sh -c "tell me \| mail me"'$/,
    ],
    [
      'tell $SUPERVISOR_RUN',
      /contains \$SUPERVISOR_RUN, /,
      /--notify 'sh -c "tell \$SUPERVISOR_RUN"'$/,
    ],
    [`tell 'me' && beep`, /contains &&, /, /Put the line into a script/],
  ];
  for (const [notify, message, hint] of refused)
    test(`is refused: ${JSON.stringify(notify)}`, () => {
      assert.throws(
        () => checkNotify(notify),
        (error) => {
          assert.ok(isRefusal(error, 'usage.invalid'));
          assert.match(error.message, message);
          assert.match(error.data.hint ?? '', hint);
          return true;
        },
      );
    });

  const accepted = [
    'notify-send done',
    'https://example.com/hook?a=1&b=$c',
    'HTTP://example.com',
    `sh -c "tell me | mail me"`,
    `/bin/sh -c "tell $SUPERVISOR_RUN"`,
    `curl -d "it's done" https://example.com`,
    '/opt/tell.sh --to=me',
  ];
  for (const notify of accepted) test(`is accepted: ${notify}`, () => checkNotify(notify));
});

describe('the program of a command for notifications', () => {
  const cases: [why: string, notify: string, isThere: boolean][] = [
    ['a URL needs none', 'https://example.com/hook', true],
    ['it is on the PATH', 'tell --now', true],
    ['it is misspelt', 'tel --now', false],
    ['it is named by its path in the home folder, where it starts', './bin/tell', true],
    ['that path does not exist', './tell', false],
    ['it is a file that nobody may start', 'plain', false],
  ];
  for (const [why, notify, isThere] of cases)
    test(`${why}: ${isThere ? 'accepted' : 'refused'}`, async () => {
      await using dir = await tempDir();
      const bin = join(dir.path, 'bin');
      await mkdir(bin);
      for (const name of ['tell', 'plain']) await writeFile(join(bin, name), '#!/bin/sh\n');
      await chmod(join(bin, 'tell'), 0o755);
      const check = (): void => requireNotifyProgram(notify, { PATH: bin, HOME: dir.path });
      if (isThere) check();
      else assert.throws(check, /^Refusal: The owner finds no program ".*" for notifications\.$/);
    });
});
