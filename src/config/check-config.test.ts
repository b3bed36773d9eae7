import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../base/errors.ts';
import { parseConfigText } from './load-settings.ts';

function readRefusal(text: string): string {
  try {
    parseConfigText(text, 'c.yaml');
  } catch (error) {
    if (isRefusal(error, 'config.invalid')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a value that does not match the schema is refused with its place', () => {
  const cases: [why: string, text: string, message: string][] = [
    [
      'an unknown key',
      'version: 1\n\nlimts: {}',
      '3:1: unknown key "limts" (did you mean "limits"?)',
    ],
    [
      'an unknown key without a value',
      'limts:',
      '1:1: unknown key "limts" (did you mean "limits"?)',
    ],
    [
      'an unknown key in a section',
      'limits:\n  attemps: 3',
      '2:3: unknown key "attemps" in limits (did you mean "attempts"?)',
    ],
    ['an unknown key that resembles no known key', 'colour: red', '1:1: unknown key "colour"'],
    [
      'a wrong type',
      'limits: {attempts: many}',
      '1:20: limits.attempts: expected a whole number from 1 to 1000, found "many"',
    ],
    [
      'a number out of range',
      'limits: {attempts: 0}',
      '1:20: limits.attempts: expected a whole number from 1 to 1000, found 0',
    ],
    [
      'an infinite number',
      'limits: {attempts: .inf}',
      '1:20: limits.attempts: expected a whole number from 1 to 1000, found Infinity',
    ],
    ['a list for a map', 'owner: [1]', '1:8: owner: expected keys with values, found a list of 1'],
    ['a text in place of the whole file', 'hello', '1:1: expected keys with values, found "hello"'],
    [
      'another version',
      'version: 2',
      '1:10: version: expected 1, the only version that this version of Supervisor reads, found 2',
    ],
    [
      'a duration without a unit',
      'attempt: {grace: soon}',
      '1:18: attempt.grace: expected a duration such as 500ms, 10s, 5m, 12h or 1d, or whole seconds, from 0s to 10m, found "soon"',
    ],
    [
      'a duration out of range',
      'attempt: {grace: 11m}',
      '1:18: attempt.grace: expected a duration such as 500ms, 10s, 5m, 12h or 1d, or whole seconds, from 0s to 10m, found "11m"',
    ],
    [
      'a size that is too small',
      'attempt: {output_max: 1kB}',
      '1:23: attempt.output_max: expected a size such as 512kB or 10MB, or whole bytes, from 64kB to 1GB, found "1kB"',
    ],
    [
      'a missing key',
      'agents:\n  - cli: claude',
      '2:5: agents[0] has no id: expected a name of up to 64 letters, digits and _ . : - that starts with a letter',
    ],
    [
      'an unknown CLI',
      'agents: [{id: a, cli: vim}]',
      '1:23: agents[0].cli: expected one of scripted, claude, codex, gemini, copilot, opencode, custom, found "vim"',
    ],
    [
      'a custom agent without a command',
      'agents: [{id: a, cli: custom}]',
      '1:10: agents[0] has no command: expected the command line of the custom agent',
    ],
    [
      'flags with an open quote',
      `agents: [{id: a, cli: claude, flags: "--a 'b"}]`,
      `1:38: agents[0].flags: expected a line in which every quote is closed, found "--a 'b"`,
    ],
    [
      'a pattern that needs backtracking',
      'classify: {rules: [{id: a, reason: auth, pattern: "(x)\\\\1"}]}',
      '1:51: classify.rules[0].pattern: expected a pattern that can be matched in linear time (\\1 is not supported), found "(x)\\\\1"',
    ],
    [
      'a rule that can never match',
      'classify: {rules: [{id: a, reason: auth}]}',
      '1:20: classify.rules[0] has no pattern: expected a pattern or exit codes',
    ],
    [
      'a relative directory',
      'agents: [{id: a, cli: claude, config_dir: x}]',
      '1:43: agents[0].config_dir: expected a path that starts with / or ~/, found "x"',
    ],
    [
      'a number in the environment',
      'agents: [{id: a, cli: claude, env: {PORT: 80}}]',
      '1:43: agents[0].env.PORT: expected text of up to 32768 characters (quote it if it looks like a number), found 80',
    ],
    [
      'a bad name in the environment',
      'agents: [{id: a, cli: claude, env: {a-b: c}}]',
      '1:37: the key "a-b" in agents[0].env: expected the name of an environment variable',
    ],
    [
      'a secret, without repeating it',
      'agents: [{id: a, cli: claude, env: {PIN_TOKEN: 1234}}]',
      '1:48: agents[0].env.PIN_TOKEN: expected text of up to 32768 characters (quote it if it looks like a number), found a number that is not shown',
    ],
    [
      'a secret in a wrong place',
      'default_agent: sk-ant-REDACTED!',
      '1:16: default_agent: expected a name of up to 64 letters, digits and _ . : - that starts with a letter, found a string that is not shown',
    ],
    ['a secret as a key', 'sk-ant-REDACTED: 1', '1:1: unknown key (not shown)'],
    [
      'a NUL',
      'agents: [{id: a, cli: claude, model: "a\\0b"}]',
      '1:38: agents[0].model: expected text of 1 to 200 characters, found "a\\u0000b"',
    ],
  ];
  for (const [why, text, message] of cases) {
    test(why, () => assert.equal(readRefusal(text), `c.yaml:${message}`));
  }
});
