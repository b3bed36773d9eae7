import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { findVersion, isAtLeast } from './version.ts';

describe('the version in an answer', () => {
  const answers: [why: string, text: string, version: string | undefined][] = [
    ['git', 'git version 2.39.5 (Apple Git-154)', '2.39.5'],
    ['Claude Code', '2.1.197 (Claude Code)\n', '2.1.197'],
    ['Codex', 'codex-cli 0.166.0', '0.166.0'],
    [
      'Copilot CLI, with a full stop',
      "GitHub Copilot CLI 1.0.102.\nRun 'copilot update'",
      '1.0.102',
    ],
    ['a v in front', 'v24.1.0', '24.1.0'],
    ['something after it', '1.2.3-beta.4', '1.2.3'],
    ['a word with a number is none', 'sha256 of x86.64', undefined],
    ['a single number is none', 'version 7', undefined],
    ['nothing at all', '', undefined],
  ];
  for (const [why, text, version] of answers) {
    test(why, () => assert.equal(findVersion(text), version));
  }
});

describe('a version is new enough', () => {
  const pairs: [version: string, least: string, isEnough: boolean][] = [
    ['2.31', '2.31', true],
    ['2.31.0', '2.31', true],
    ['2.9.9', '2.31', false],
    ['10.0', '9.99', true],
    ['0.8.0', '0.8', true],
    ['0.7.99', '0.8', false],
    ['24', '24.0.0', true],
  ];
  for (const [version, least, isEnough] of pairs) {
    test(`${version} ${isEnough ? 'is' : 'is not'} at least ${least}`, () =>
      assert.equal(isAtLeast(version, least), isEnough));
  }
});
