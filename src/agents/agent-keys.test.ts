/** A long-lived agent that lacks its key waits for it, in the same life and the same conversation. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failed } from '../../test/support/drive-attempts.ts';
import type { AgentScript } from '../../test/support/drive-agent.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const keyless = failed('keys_missing');
const ASKS = 'asks: keys_missing';

describe('a long-lived agent that lacks its key', () => {
  const rows: [why: string, script: AgentScript, expected: string[]][] = [
    ['waits for a person', { turns: [keyless] }, ['turn', ASKS]],
    [
      'goes on when a person has given the key',
      { turns: ['a', keyless, 'DONE'], answers: ['continue'] },
      ['turn', 'turn in s', ASKS, 'turn in s', 'exit normal', 'unverified: DONE'],
    ],
    [
      'ends if a person dismisses it',
      { turns: [keyless], answers: ['dismiss'] },
      [
        'turn',
        ASKS,
        'exit shutdown: a person answered: dismiss',
        'cancelled: a person answered: dismiss',
      ],
    ],
  ];
  for (const [why, script, expected] of rows)
    test(why, () => assert.deepEqual(driveAgent(script).trace, expected));
});
