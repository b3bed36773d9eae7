import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { commandKey } from '../../base/ids.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { setupFailure, setupTail } from './setup-outcome.ts';
import type { AfterSetup, SetupStage, SetupCommand } from './setup-stage.ts';
import { BEFORE_SETUP, foldSetup, nextSetupMove } from './setup-stage.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { SetupInput, SetupOutcome } from '../../protocol/contracts/setup-contract.ts';

const input: SetupInput = {
  command: ['npm', 'ci'],
  inputs: [],
  network: [],
  timeoutMs: 60_000,
  project: '/p',
  sandbox: defaultSettings.sandbox,
  worksInProject: false,
};
const command: SetupCommand = { input, interruptionsMax: 1, stop: null, limits: ['attempts'] };

const begun = (number: number, command = 'setup'): RunEvent =>
  ({
    type: 'command.begun',
    payload: { key: commandKey(`${command}-${number}`), command, input: {} },
  }) as unknown as RunEvent;
const ended = (number: number, end: CommandEnd, command = 'setup'): RunEvent =>
  ({
    type: 'command.ended',
    payload: { key: commandKey(`${command}-${number}`), command, end },
  }) as unknown as RunEvent;
const done = (outcome: SetupOutcome): CommandEnd => ({ kind: 'done', result: { ...outcome } });
const LOST: CommandEnd = { kind: 'interrupted' };
const READY: SetupOutcome = { kind: 'ready', key: 'k', how: 'built', summary: 'made it' };

function after(...events: readonly RunEvent[]): SetupStage {
  return events.reduce((stage, event) => foldSetup(stage, event) ?? stage, BEFORE_SETUP);
}

/** Describes the next moves in a short text. */
function describeNext(next: AfterSetup): string {
  switch (next.kind) {
    case 'ready':
      return `ready ${next.key}`;
    case 'end':
      return `${next.outcome.kind}: ${next.outcome.reason}`;
    case 'moves':
      return next.moves
        .map((move) => ('key' in move ? `${move.kind} ${move.key}` : move.kind))
        .join(', ');
  }
}

describe('before the first attempt', () => {
  const failed: SetupOutcome = { kind: 'failed', message: 'it broke', tail: 'out of date' };
  const cases: [why: string, stage: SetupStage, change: Partial<SetupCommand>, expected: string][] =
    [
      ['a project without a setup is ready', after(), { input: null }, 'ready null'],
      ['a setup is performed', after(), {}, 'perform setup-1'],
      ['the run waits for an open setup', after(begun(1)), {}, ''],
      [
        'the attempts get the result of the setup',
        after(begun(1), ended(1, done(READY))),
        {},
        'ready k',
      ],
      [
        'a setup that is not needed does not delay the attempts',
        after(begun(1), ended(1, done({ kind: 'not-needed', summary: '' }))),
        {},
        'ready null',
      ],
      [
        'a failed setup blocks the run',
        after(begun(1), ended(1, done(failed))),
        {},
        'blocked: it broke\nout of date',
      ],
      [
        'a setup that could not begin refuses the run',
        after(begun(1), ended(1, done({ kind: 'refused', message: 'no sandbox' }))),
        {},
        'refused: no sandbox',
      ],
      ['an interrupted setup begins again', after(begun(1), ended(1, LOST)), {}, 'perform setup-2'],
      [
        'a setup that is interrupted too often ends the run',
        after(begun(1), ended(1, LOST), begun(2), ended(2, LOST)),
        {},
        'exhausted: the setup was interrupted 2 times because the owner ended',
      ],
      ['a stop cancels the setup', after(begun(1)), { stop: 'stop' }, 'cancel setup-1'],
      [
        'a run that is stopped during the setup is cancelled',
        after(begun(1), ended(1, done({ kind: 'stopped' }))),
        { stop: 'stop' },
        'cancelled: stopped by the user during the setup',
      ],
      [
        'a run that is killed during the setup is killed',
        after(begun(1), ended(1, done(failed))),
        { stop: 'kill' },
        'killed: stopped by the user during the setup',
      ],
      ['no setup begins after a stop', after(), { stop: 'stop' }, 'ready null'],
      [
        'an internal error ends the run',
        after(begun(1), ended(1, { kind: 'defect', message: 'oh' })),
        {},
        'refused: internal error in Supervisor: oh',
      ],
    ];
  for (const [why, stage, change, expected] of cases)
    test(why, () =>
      assert.equal(describeNext(nextSetupMove(stage, { ...command, ...change })), expected),
    );

  test('events of an attempt do not change the setup stage', () => {
    const stage = after(begun(1), ended(1, done(READY)));
    assert.equal(foldSetup(stage, begun(1, 'attempt')), undefined);
    assert.equal(foldSetup(stage, ended(1, LOST, 'attempt')), undefined);
  });
});

describe('why a setup failed', () => {
  const end = { exit: { kind: 'code', code: 0 }, endedBy: 'itself', oom: null } as const;
  const cases: [change: object, expected: RegExp | undefined][] = [
    [{}, undefined],
    [
      { exit: { kind: 'code', code: 1 } },
      /ended with code 1; it did not reach a\.test:443, because it is not on the list; see setup\.network$/,
    ],
    [{ exit: { kind: 'code', code: 127 } }, /not found in the sandbox.*toolchains/],
    [{ exit: { kind: 'signal', signal: 'SIGKILL' } }, /ended by SIGKILL/],
    [{ exit: { kind: 'not-started', code: 'X', message: 'no sandbox' } }, /no sandbox/],
    [{ endedBy: 'time-limit' }, /longer than 60 s/],
    [{ endedBy: 'disk-limit' }, /filled its disk/],
    [{ oom: true }, /out of memory/],
  ];
  for (const [change, expected] of cases)
    test(JSON.stringify(change), () => {
      const why = setupFailure(input, { ...end, ...change }, ['a.test:443 (not-allowed)']);
      if (expected === undefined) assert.equal(why, undefined);
      else assert.match(why ?? '', expected);
    });
});

describe('the quoted end of the output of a setup', () => {
  const many = Array.from({ length: 30 }, (_, nth) => `line ${nth}`);
  const cases: [why: string, output: string, expected: string][] = [
    ['is empty if it printed nothing', '\n \n', ''],
    ['leaves out empty lines', 'a\n\n  \nb\n', 'a\nb'],
    ['has the last lines', many.join('\n'), many.slice(-12).join('\n')],
    ['has the last state of a progress bar', '10 %\r50 %\r100 %\ndone\n', '100 %\ndone'],
    ['has no colours', '\u001B[31mred\u001B[0m\n', 'red'],
    ['cuts a long line at its end', 'x'.repeat(500), `${'x'.repeat(299)}…`],
    [
      'begins with a whole line',
      Array.from({ length: 8 }, (_, nth) => `${nth}${'y'.repeat(249)}`).join('\n'),
      Array.from({ length: 5 }, (_, nth) => `${nth + 3}${'y'.repeat(249)}`).join('\n'),
    ],
  ];
  for (const [why, output, expected] of cases)
    test(why, () => assert.equal(setupTail(output), expected));
});
