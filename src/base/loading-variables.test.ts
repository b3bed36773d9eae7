import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isProtectedVariable } from './loading-variables.ts';

const REFUSED = [
  ...['PATH', 'HOME', 'SHELL', 'ENV', 'BASH_ENV', 'ZDOTDIR', 'IFS', 'LD_PRELOAD', 'TMPDIR', 'CI'],
  ...['NODE_OPTIONS', 'NODE_PATH', 'npm_config_script_shell', 'PYTHONPATH', 'PYTEST_ADDOPTS'],
  ...['GIT_DIR', 'GIT_EXEC_PATH', 'GIT_CONFIG_COUNT', 'MAKEFLAGS', 'SUPERVISOR_TEST_REPORTS'],
];
const ALLOWED = ['TZ', 'LANG', 'DATABASE_URL', 'NODE_ENV', 'DJANGO_SETTINGS', 'MY_PATH', 'SHELLS'];

describe('a variable of a gate', () => {
  for (const name of REFUSED)
    test(`${name} is refused`, () => assert.equal(isProtectedVariable(name), true));
  for (const name of ALLOWED)
    test(`${name} is allowed`, () => assert.equal(isProtectedVariable(name), false));
});
