import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { notifyRequest } from './notify-option.ts';

const URL = 'https://example.com/hook';

describe('a request', () => {
  const rows: [
    why: string,
    notify: string | undefined,
    env: Readonly<Record<string, string>>,
    expected: ReturnType<typeof notifyRequest>,
  ][] = [
    ['notifies nothing by default', undefined, {}, { isUsualNotify: true }],
    ['notifies what the option names', 'true', { SUPERVISOR_NOTIFY: URL }, { notify: 'true' }],
    [
      'notifies what the variable names',
      undefined,
      { SUPERVISOR_NOTIFY: URL },
      { notify: URL, isUsualNotify: true },
    ],
    ['notifies nothing if the option is empty', '', { SUPERVISOR_NOTIFY: URL }, {}],
    [
      'signs what goes to a URL',
      URL,
      { SUPERVISOR_NOTIFY_SECRET: 'shared' },
      { notify: URL, signsNotify: true },
    ],
    ['signs nothing for a command', 'true', { SUPERVISOR_NOTIFY_SECRET: 's' }, { notify: 'true' }],
  ];
  for (const [why, notify, env, expected] of rows)
    test(why, () =>
      assert.deepEqual(notifyRequest({ env }, notify === undefined ? {} : { notify }), expected),
    );
});
