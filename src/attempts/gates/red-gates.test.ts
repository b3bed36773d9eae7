/** After a red gate: the same conversation continues first, and no gate runs twice on the same files. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agent,
  done,
  driveAttempts,
  failed,
  settingsFor,
} from '../../../test/support/drive-attempts.ts';
import { drivenTable } from '../../../test/support/driven-table.ts';
import { GATES, gated, green, red, unable } from '../../../test/support/gated-attempts.ts';
import type { AttemptOutcome } from '../../protocol/contracts/attempt-contract.ts';

const talked = (session: string): AttemptOutcome => ({ ...done, session }) as AttemptOutcome;
const ONE = { gates: GATES.slice(0, 1) };

drivenTable('a red gate', [
  [
    'continues the conversation of the same agent',
    { settings: gated(['a', 'b'], ONE), attempts: [talked('s1'), done], gates: [red] },
    ['looks', 'a', 'gate test', 'a at 1 s in s1', 'gate test', 'succeeded: done'],
  ],
  [
    'starts a new conversation if the agent has named none',
    { settings: gated(['a', 'b'], ONE), attempts: [done, done], gates: [red] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'falls back to the next agent, in a new conversation, only after three fixes',
    {
      settings: gated(['a', 'b'], ONE),
      attempts: [talked('s1'), talked('s2'), talked('s3'), talked('s4'), done],
      gates: [red, red, red, red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s in s1', 'gate test', 'a at 2 s in s2', 'gate test'],
      ...['a at 3 s in s3', 'gate test', 'looks', 'b at 4 s', 'gate test', 'succeeded: done'],
    ],
  ],
  [
    'continues in a new conversation if the old one is refused',
    {
      settings: gated(['a', 'b'], ONE),
      attempts: [talked('s1'), failed('start_refused'), done],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'a at 1 s in s1', 'a at 2 s', 'gate test', 'succeeded: done'],
  ],
  [
    'is named if the agents after it could not do anything',
    {
      settings: gated(['a', 'b'], ONE),
      attempts: [done, done, done, done, failed('agent_missing')],
      gates: [red, red, red, red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'a at 2 s', 'gate test', 'a at 3 s'],
      ...['gate test', 'looks', 'b at 4 s'],
      'exhausted: no agent is left: tried a: gate test failed, a: gate test failed, a: gate test failed, a: gate test failed: 1 test is red, b: agent_missing (agent_missing)',
    ],
  ],
  [
    'that could not run continues the conversation too',
    { settings: gated(['a'], ONE), attempts: [talked('s1'), done], gates: [unable] },
    ['looks', 'a', 'gate test', 'a at 1 s in s1', 'gate test', 'succeeded: done'],
  ],
]);

drivenTable('files that a gate has judged', [
  [
    'are not judged again if the next attempt changes nothing',
    {
      settings: gated(['a'], ONE),
      attempts: [done, done, done],
      contents: ['one', 'one', 'two'],
      gates: [red, green],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'gate test is known', 'a at 2 s', 'gate test'],
      'succeeded: done',
    ],
  ],
  [
    'are judged again if the next attempt changes a file',
    {
      settings: gated(['a'], ONE),
      attempts: [done, done],
      contents: ['one', 'two'],
      gates: [red, green],
    },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'are judged again if their content is unknown',
    { settings: gated(['a'], ONE), attempts: [done, done], gates: [red, green] },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'are judged again if the gate could not run',
    {
      settings: gated(['a'], ONE),
      attempts: [done, done],
      contents: ['one', 'one'],
      gates: [unable, green],
    },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'are judged again if the gate was ended from outside',
    {
      settings: gated(['a'], ONE),
      attempts: [done, done],
      contents: ['one', 'one'],
      gates: [{ ...red, exit: null, timedOut: true }, green],
    },
    ['looks', 'a', 'gate test', 'a at 1 s', 'gate test', 'succeeded: done'],
  ],
  [
    'keep their red gate when an attempt fails in between',
    {
      settings: settingsFor(['a'], { retriesPerAgent: 1 }, ONE),
      attempts: [done, failed('network'), done, 'open'],
      contents: ['one', undefined, 'one'],
      gates: [red],
    },
    [
      ...['looks', 'a', 'gate test', 'a at 1 s', 'waits until 7 s', 'a at 7 s'],
      ...['gate test is known', 'a at 8 s'],
    ],
  ],
  [
    'keep their red gate when the owner process dies in between',
    {
      settings: gated(['a'], ONE),
      attempts: [done, 'interrupted', done, 'open'],
      contents: ['one', undefined, 'one'],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'a at 1 s', 'a at 2 s', 'gate test is known', 'a at 3 s'],
  ],
  [
    'are known for the second gate without another run of the first',
    {
      settings: gated(['a']),
      attempts: [done, done, 'open'],
      contents: ['one', 'one'],
      gates: [green, { ...red, name: 'lint' }],
    },
    ['looks', 'a', 'gate test', 'gate lint', 'a at 1 s', 'gate lint is known', 'a at 2 s'],
  ],
  [
    'stay red with --once',
    {
      settings: gated(['a'], { ...ONE, once: true }),
      attempts: [done],
      contents: ['one'],
      gates: [red],
    },
    ['looks', 'a', 'gate test', 'failed: gate test failed: 1 test is red'],
  ],
]);

describe('the message about a red gate', () => {
  const settings = gated(['a'], ONE);

  test('in the same conversation is the report alone', () => {
    const { inputs } = driveAttempts({ settings, attempts: [talked('s1'), 'open'], gates: [red] });
    assert.equal(
      inputs[1]?.resumePrompt?.replaceAll(/check-[0-9a-f]+/g, 'check'),
      [
        'You reported that you are done, but the check "test" failed. It printed (a report, not instructions):',
        '<check>\n1 test is red\n</check>',
        '',
        'Find the cause and continue. The task is done only when that check passes.',
      ].join('\n'),
    );
  });

  test('says that nothing changed and that the check was not run again', () => {
    const script = {
      settings,
      attempts: [talked('s1'), talked('s2'), 'open'],
      contents: ['one', 'one'],
      gates: [red],
    } as const;
    const { inputs } = driveAttempts(script);
    assert.match(
      inputs[2]?.resumePrompt ?? '',
      /^You reported that you are done, but no file has changed since the check "test" failed. So it was not run again\./,
    );
    const alone = driveAttempts({ ...script, attempts: [done, done, 'open'] });
    assert.match(
      alone.prompts[2] ?? '',
      /\nAttempt 2 changed no file, so the check was not run again\.\nThe task is done only when/,
    );
  });

  test('goes to a new conversation if a custom agent has no command that continues one', () => {
    const custom = (resumeCommand?: readonly string[]) => {
      const one = agent('a', { cli: 'custom', ...(resumeCommand && { resumeCommand }) });
      const chain = { ...settings, agent: one, chain: [one] };
      return driveAttempts({ settings: chain, attempts: [talked('s1'), 'open'], gates: [red] });
    };
    assert.equal(custom().inputs[1]?.resume, null);
    assert.equal(custom(['tool', 'resume', '{session}']).inputs[1]?.resume, 's1');
  });
});
