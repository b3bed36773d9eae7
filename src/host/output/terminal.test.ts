import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Terminal } from './terminal.ts';
import { readTerminal } from './terminal.ts';

describe('the capabilities of an output stream', () => {
  const tty = { isTTY: true, columns: 120 };
  const cases: [why: string, stream: object, env: Record<string, string>, terminal: Terminal][] = [
    ['a terminal has colour', tty, {}, { isTty: true, width: 120, colour: true }],
    ['a pipe has no colour', {}, {}, { isTty: false, width: 80, colour: false }],
    [
      'a pipe takes its width from COLUMNS',
      {},
      { COLUMNS: '50' },
      { isTty: false, width: 50, colour: false },
    ],
    ['an invalid width is ignored', { columns: 0 }, {}, { isTty: false, width: 80, colour: false }],
    ['NO_COLOR is obeyed', tty, { NO_COLOR: '1' }, { isTty: true, width: 120, colour: false }],
    [
      'an empty NO_COLOR is ignored',
      tty,
      { NO_COLOR: '' },
      { isTty: true, width: 120, colour: true },
    ],
    [
      'FORCE_COLOR colours a pipe',
      {},
      { FORCE_COLOR: '1' },
      { isTty: false, width: 80, colour: true },
    ],
    [
      'FORCE_COLOR=0 turns colour off',
      tty,
      { FORCE_COLOR: '0' },
      { isTty: true, width: 120, colour: false },
    ],
    [
      'NO_COLOR overrides FORCE_COLOR',
      {},
      { FORCE_COLOR: '1', NO_COLOR: '1' },
      { isTty: false, width: 80, colour: false },
    ],
    [
      'a dumb terminal has no colour',
      tty,
      { TERM: 'dumb' },
      { isTty: true, width: 120, colour: false },
    ],
  ];
  for (const [why, stream, env, terminal] of cases) {
    test(why, () => assert.deepEqual(readTerminal(stream, env), terminal));
  }
});
