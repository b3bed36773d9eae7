import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretVariable } from './secret-names.ts';

const CASES: readonly [name: string, value: string, expected: boolean][] = [
  ['ANTHROPIC_API_KEY', 'x1', true],
  ['GITHUB_TOKEN', 'x1', true],
  ['PGPASSWORD', 'x1', true],
  ['NPM_AUTH', 'x1', true],
  ['SENTRY_DSN', 'x1', true],
  ['APIKEY', 'x1', true],
  ['client_secret', 'x1', true],
  ['DATABASE_URL', 'postgres://me:word@db.example/app', true],
  ['PLAIN', 'ghp_0123456789', true],
  ['GITHUB_TOKEN', '', false],
  ['PATH', '/usr/bin', false],
  ['KEYBOARD_LAYOUT', 'de', false],
  ['AUTHOR', 'me', false],
  ['DATABASE_URL', 'postgres://db.example/app', false],
];

for (const [name, value, expected] of CASES)
  test(`${name}=${value} is ${expected ? 'a secret' : 'not a secret'}`, () =>
    assert.equal(isSecretVariable(name, value), expected));
