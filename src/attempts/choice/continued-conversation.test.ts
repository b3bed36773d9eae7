/** A run whose first attempt continues the conversation of an earlier step. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agent,
  done,
  driveAttempts,
  failed,
  settingsFor,
} from '../../../test/support/drive-attempts.ts';
import { agentIdentity } from './identity.ts';

const CONTINUES = {
  ...{ agent: 'a', identity: agentIdentity(agent('a')), session: 's1' },
  ...{ run: 'b000000000', folderOf: 'c000000000', prompt: 'Now refine it.' },
};
const BRIEF = { role: 'planner', hash: 'h', answer: 'plan', allowedTools: null } as const;
const settings = (continues: Partial<typeof CONTINUES> = {}) =>
  settingsFor(['a', 'b'], {}, { brief: BRIEF, continues: { ...CONTINUES, ...continues } });

describe('the first attempt of a step that continues a conversation', () => {
  test('continues it, with the words for it alone, and knows where it is', () => {
    const [input] = driveAttempts({ settings: settings(), attempts: [done] }).inputs;
    const { why, resume, resumePrompt, continues } = input ?? {};
    assert.deepEqual(
      { why, resume, resumePrompt, continues },
      {
        why: { kind: 'continued', run: 'b000000000' },
        ...{ resume: 's1', resumePrompt: 'Now refine it.' },
        continues: { run: 'b000000000', folderOf: 'c000000000' },
      },
    );
  });

  const others: [why: string, continues: Partial<typeof CONTINUES>][] = [
    ['begins a new one if another agent begins', { agent: 'b' }],
    ['begins a new one if its agent has changed', { identity: 'another model' }],
  ];
  for (const [why, continues] of others)
    test(why, () => {
      const [input] = driveAttempts({ settings: settings(continues), attempts: [done] }).inputs;
      assert.deepEqual([input?.why.kind, input?.resume], ['first', null]);
    });

  test('begins a new one if the CLI does not have it, with the whole prompt alone', () => {
    const attempts = [failed('bad_usage'), done];
    const [, input] = driveAttempts({ settings: settings(), attempts }).inputs;
    assert.deepEqual([input?.why.kind, input?.resume], ['new-session', null]);
    assert.doesNotMatch(input?.prompt ?? '', /Now refine it/);
  });

  test('continues its own conversation after a red gate, as any other', () => {
    const gates = [{ name: 'test', command: ['make'], timeoutMs: 1000 }];
    const red = { kind: 'failed', name: 'test', exit: 1, tail: 'red' } as const;
    const attempts = [{ ...done, session: 's1' }, done] as const;
    const { inputs } = driveAttempts({
      settings: { ...settings(), gates },
      ...{ attempts, gates: [red] },
    });
    assert.deepEqual(
      inputs.map(({ why, resume }) => [why.kind, resume]),
      [
        ['continued', 's1'],
        ['gate', 's1'],
      ],
    );
  });
});
