import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outsideRepository } from './outside-repository.ts';

test('git of a folder gets the environment of the person, and no other repository', () => {
  const env = { GIT_DIR: '/r/.git', GIT_INDEX_FILE: '/r/i', GIT_SSH_COMMAND: 'ssh', PATH: '/bin' };
  assert.deepEqual(outsideRepository({ ...env, EMPTY: undefined }), {
    GIT_SSH_COMMAND: 'ssh',
    PATH: '/bin',
  });
});
