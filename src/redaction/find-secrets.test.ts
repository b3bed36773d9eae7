import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSecretsIn } from './find-secrets.ts';

test('secrets in an environment are found by their names', () => {
  const env = {
    ANTHROPIC_API_KEY: 'sk-ant-0123456789',
    DB_PASSWORD: 'correct horse',
    npm_token: ' abcdefghij ',
    SSH_KEY_FILE: '/home/u/.ssh/id_ed25519',
    SHORT_KEY: 'none',
    PATH: '/usr/bin:/bin',
    EMPTY_TOKEN: undefined,
  };
  assert.deepEqual(findSecretsIn(env, { OTHER_KEY: 'sk-ant-0123456789' }), [
    'sk-ant-0123456789',
    'correct horse',
    'abcdefghij',
  ]);
});
