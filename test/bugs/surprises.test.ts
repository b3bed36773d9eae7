/**
 * Surprises for users who run these CLIs for the first time. Each is a test under its number; those
 * that no transcript can show use the real CLI.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertIsThere } from './named-tests.ts';
import type { Bug } from './named-tests.ts';

const PLAYED = 'src/adapters/surprises.test.ts';
const LIVE = 'test/real/adapters.test.ts';

const SURPRISES: readonly Bug[] = [
  [
    'an exit code is not enough',
    [PLAYED, '1: an exit code of 0 is not enough for Gemini, nor "success" for Claude'],
  ],
  [
    'Gemini exits with the status, as far as it fits',
    [PLAYED, '2: Gemini exits with the status of the provider, as far as it fits'],
  ],
  [
    'some wait for an open, silent stdin',
    [LIVE, '3: takes a long and strange prompt whole, works, and continues'],
  ],
  ['a killed CLI leaves its tools', [LIVE, '4: killed at once, it leaves no tool behind']],
  [
    'a signal to the wrapper does not reach the agent',
    [LIVE, '4 to 6: asked to end, it ends with its tool, and does not count as done'],
    [PLAYED, '5 and 6: an end with 0 and without a final message was caused from outside'],
  ],
  [
    'only some end cleanly when asked, and some with 0',
    [LIVE, '4 to 6: asked to end, it ends with its tool, and does not count as done'],
    [PLAYED, '5 and 6: an end with 0 and without a final message was caused from outside'],
  ],
  [
    'opencode asks without end',
    [LIVE, '7: opencode that retries for ever is noticed'],
    [PLAYED, '7: opencode retries forever when a stream has no end, and each time is a retry'],
  ],
  [
    'some wait in silence',
    [LIVE, '8: CLIs that wait in silence'],
    [LIVE, 'Codex gives up on a server that is down'],
    [LIVE, 'Codex that would wait for an hour reports it, once'],
  ],
  [
    'retries are reported in four ways',
    [PLAYED, '9: retries are reported in four ways, and by two CLIs not at all'],
  ],
  [
    'an error of Codex is not its end',
    [PLAYED, '10: an error of Codex is its end only if its turn failed'],
  ],
  [
    'a command that failed is called a success',
    [PLAYED, '11: a command that exits with 3 has failed, whatever the CLI calls it'],
  ],
  [
    'Copilot hides its key in all that it prints',
    [PLAYED, '12: Copilot hides its key wherever it appears, so keys are long and unique'],
  ],
  [
    'Gemini dumps the conversation on each error',
    ['test/real/dumps.test.ts', '13: the conversation dumps of Gemini stay in its sandbox'],
  ],
  [
    'Claude succeeds while all is denied',
    [PLAYED, '14: Claude succeeds while everything is denied: that is a question'],
  ],
  [
    'new models of Codex offer their tools in another place',
    [
      'src/gateway/calls/classify-call.test.ts',
      '15: a call of the newest Codex models, which list their tools in an item, is work',
    ],
  ],
  ['Codex warns of its folder', [PLAYED, '16: warnings of Codex at its start are noise']],
];

test('there are sixteen surprises', () => assert.equal(SURPRISES.length, 16));

for (const [index, [surprise, ...tests]] of SURPRISES.entries())
  test(`${index + 1}: ${surprise}`, () => {
    assert.ok(tests.length > 0);
    for (const named of tests) assertIsThere(named);
    const isLive = tests.some(([file]) => file.startsWith('test/real/'));
    assert.ok(isLive || index + 1 < 3 || index + 1 > 8, 'to be played with the CLI itself');
  });
