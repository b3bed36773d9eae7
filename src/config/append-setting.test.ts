import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appendSetting } from './append-setting.ts';

const LINES = ['setup:', '  command: [npm, ci]'];
const ADDED = 'setup:\n  command: [npm, ci]\n';

describe('a setting that is added to a configuration file', () => {
  const cases: [why: string, before: string, after: string | undefined][] = [
    ['an empty file', '', ADDED],
    ['only comments', '# mine\n', `# mine\n\n${ADDED}`],
    ['other settings', 'attempt: {grace: 5s}', `attempt: {grace: 5s}\n\n${ADDED}`],
    [
      'a commented setup',
      'version: 1\n# setup: {command: [a]}\n\n\n',
      `version: 1\n# setup: {command: [a]}\n\n${ADDED}`,
    ],
    ['the setting is there', 'setup: {command: [make]}\n', undefined],
    ['flow style', '{attempt: {grace: 5s}}\n', undefined],
    ['an end mark', 'version: 1\n...\n', undefined],
    ['an open block of text', 'x-note: |\n  a\n', `x-note: |\n  a\n\n${ADDED}`],
    [
      'text whose blank lines at the end count',
      'gates:\n  - name: a\n    command:\n      - |+\n        x\n\n\n',
      undefined,
    ],
    ['a faulty file', 'attemp: 1\n', undefined],
    ['no YAML', 'a: [\n', undefined],
  ];
  for (const [why, before, after] of cases)
    test(why, () => assert.equal(appendSetting(before, 'setup', LINES), after));
});
