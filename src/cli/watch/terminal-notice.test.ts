import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { NotifiedEvent } from '../../settings/notification-config.ts';
import type { CliContext } from '../cli-context.ts';
import { TerminalNotice, decideCall, openTerminalNotice } from './terminal-notice.ts';

const ALL = ['approval', 'asks', 'ended'] as const;
const SUBJECT = { step: 'look', work: 'w', files: 1, added: 0, deleted: 0, names: ['a.ts'] };
const ASKS = { run: 'a1', key: 'ask-1' };
const APPROVAL = { run: 'b2', key: 'ask-look-1', approval: SUBJECT };
const [SAVE, RESTORE, BELL] = ['\u001B[22;0t', '\u001B[23;0t', '\u0007'];

describe('the call at the terminal', () => {
  const cases: [
    why: string,
    called: readonly string[],
    questions: readonly (typeof ASKS)[],
    events: readonly NotifiedEvent[],
    expected: [rings: boolean, title: string | null],
  ][] = [
    ['says nothing if nothing is asked', [], [], ALL, [false, null]],
    ['rings for a new question', [], [ASKS], ALL, [true, 'supervisor: run a1 needs you']],
    [
      'rings once for a question',
      ['a1/ask-1'],
      [ASKS],
      ALL,
      [false, 'supervisor: run a1 needs you'],
    ],
    [
      'rings for the next one',
      ['a1/ask-1'],
      [ASKS, APPROVAL],
      ALL,
      [true, 'supervisor: 2 runs need you'],
    ],
    ['is silent about an event that is not wanted', [], [ASKS], ['approval'], [false, null]],
    [
      'is about approvals alone if the user wants that',
      [],
      [ASKS, APPROVAL],
      ['approval'],
      [true, 'supervisor: run b2 needs you'],
    ],
    ['is silent without events', [], [ASKS, APPROVAL], [], [false, null]],
  ];
  for (const [why, called, questions, events, [rings, title]] of cases)
    test(why, () => {
      const call = decideCall(new Set(called), questions, events);
      assert.deepEqual([call.rings, call.title], [rings, title]);
    });
});

test('the title is restored when the question is answered, and at the end', () => {
  const written: string[] = [];
  const notice = new TerminalNotice((text) => written.push(text), ALL);
  notice.show([ASKS]);
  notice.show([ASKS]);
  notice.show([]);
  notice.ended();
  notice.show([APPROVAL]);
  notice[Symbol.dispose]();
  assert.deepEqual(written, [
    ...[SAVE, `\u001B]0;supervisor: run a1 needs you${BELL}`, BELL, RESTORE],
    BELL,
    ...[SAVE, `\u001B]0;supervisor: run b2 needs you${BELL}`, BELL, RESTORE],
  ]);
});

describe('a command', () => {
  async function written(isTty: boolean, env: CliContext['env'], config = ''): Promise<string> {
    await using dir = await tempDir();
    await writeFile(join(dir.path, 'config.yaml'), config);
    let text = '';
    const context = {
      out: (more: string) => (text += more),
      terminal: { isTty, width: 80, colour: false },
      env: { SUPERVISOR_HOME: dir.path, ...env },
    } as unknown as CliContext;
    using notice = await openTerminalNotice(context, true);
    notice.show([ASKS]);
    return text;
  }
  const cases: [
    why: string,
    isTty: boolean,
    env: CliContext['env'],
    config: string,
    isCalled: boolean,
  ][] = [
    ['calls at a terminal', true, { TERM: 'xterm' }, '', true],
    ['does not call into a pipe', false, { TERM: 'xterm' }, '', false],
    ['does not call with TERM=dumb', true, { TERM: 'dumb' }, '', false],
    [
      'does not call if the user has turned it off',
      true,
      {},
      'notifications: {terminal: []}\n',
      false,
    ],
    ['does not call if the settings cannot be read', true, {}, 'nonsense: 1\n', false],
  ];
  for (const [why, isTty, env, config, isCalled] of cases)
    test(why, async () => assert.equal((await written(isTty, env, config)) !== '', isCalled));
});
