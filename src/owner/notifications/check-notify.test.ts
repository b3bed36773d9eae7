import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import { checkNotify } from './check-notify.ts';

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
