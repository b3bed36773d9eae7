import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import { bestOfSubmission, refuseMixed } from './best-of-submission.ts';

const agent = (id: string, model: string | null = id): AgentSpec => ({
  ...{ id, cli: 'claude', args: [], env: {}, model, configDir: null },
});
const GATE = { name: 'test', command: ['make'], timeoutMs: 1 };

function submission(more: Partial<AttemptsSubmission['settings']>): AttemptsSubmission {
  const settings = { ...PINNED_DEFAULTS, agent: agent('a'), gates: [GATE], ...more };
  return {
    program: 'attempts',
    task: 't',
    project: '/p',
    settings,
  } as unknown as AttemptsSubmission;
}

function refusalOf(act: () => unknown): string {
  try {
    act();
    return assert.fail('it is accepted');
  } catch (error) {
    return isRefusal(error) ? error.message : String(error);
  }
}

describe('the submission for several agents', () => {
  test('has the first agents with different identities, and none of them works in the project', () => {
    const same = { ...agent('again', 'a'), inProject: true };
    const chain = [agent('a'), same, { ...agent('b'), inProject: true }, agent('c')];
    const { program, settings } = bestOfSubmission(submission({ chain }), 2);
    assert.deepEqual(
      [
        program,
        settings.agent.id,
        settings.bestOf.agents.map(({ id, inProject }) => [id, inProject]),
      ],
      [
        'best-of',
        'a',
        [
          ['a', undefined],
          ['b', false],
        ],
      ],
    );
    assert.deepEqual(settings.chain, settings.bestOf.agents);
  });

  const REFUSED: readonly [
    why: string,
    more: Partial<AttemptsSubmission['settings']>,
    words: RegExp,
  ][] = [
    [
      'too few different agents',
      { chain: [agent('a'), agent('b', 'a')] },
      /needs 2 different agents, and there is 1: a\.$/,
    ],
    ['no gate', { chain: [agent('a'), agent('b')], gates: [] }, /needs a gate/],
    [
      'only advisory gates',
      { chain: [agent('a'), agent('b')], gates: [{ ...GATE, warns: true }] },
      /needs a gate/,
    ],
    ['no sandbox', { chain: [agent('a'), agent('b')], unsafe: true }, /--unsafe-no-sandbox cannot/],
  ];
  for (const [why, more, words] of REFUSED)
    test(`is refused with ${why}`, () => {
      assert.match(
        refusalOf(() => bestOfSubmission(submission(more), 2)),
        words,
      );
    });

  test('is refused beside options that say something else', () => {
    const request = { task: 't', project: '/p', bestOf: 2 } as RunRequest;
    assert.match(
      refusalOf(() => refuseMixed({ ...request, workflow: 'mvp' })),
      /--workflow cannot/,
    );
    assert.match(
      refusalOf(() => refuseMixed({ ...request, once: true })),
      /--once cannot/,
    );
    assert.equal(refuseMixed(request), undefined);
  });
});
