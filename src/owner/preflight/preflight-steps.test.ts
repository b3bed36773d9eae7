import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { definition, gate, review, role } from '../../../test/support/workflow-fixture.ts';
import type { RoleReadiness } from './preflight-steps.ts';
import { judgeStep, stepsRefusal } from './preflight-steps.ts';

const { steps } = definition({
  implement: role('coder', 'check'),
  check: gate(['test'], 'review'),
  review: review(['ann', 'bob'], 'done'),
});

function missing(cli: string): Refusal {
  return new Refusal({
    code: 'agent.unavailable',
    message: `${cli} is not installed.`,
    hint: `install ${cli}`,
  });
}

function unready(name: string, agents: readonly string[], absent: readonly string[]) {
  const gone = absent.map((id) => ({ id, refusal: missing(id) }));
  return { role: name, agents, unready: gone } satisfies RoleReadiness;
}

describe('the agents of a step', () => {
  const cases: [why: string, step: string, roles: readonly RoleReadiness[], expected: string][] = [
    ['all can start', 'implement', [unready('coder', ['claude'], [])], 'ready'],
    [
      'the only one is missing',
      'implement',
      [unready('coder', ['claude'], ['claude'])],
      'unable: it cannot begin. role coder: claude is not installed. (install claude)',
    ],
    [
      'another one can begin',
      'implement',
      [unready('coder', ['claude', 'codex'], ['claude'])],
      'limited: role coder: claude is not installed. (install claude)',
    ],
    [
      'one of two reviewers is missing',
      'review',
      [unready('ann', ['claude'], []), unready('bob', ['codex'], ['codex'])],
      'unable: it cannot begin. role bob: codex is not installed. (install codex)',
    ],
    ['a gate has none', 'check', [unready('coder', ['claude'], ['claude'])], 'ready'],
  ];
  for (const [why, id, roles, expected] of cases)
    test(why, () => {
      const step = steps[id];
      assert.ok(step);
      const found = judgeStep(step, roles);
      const words =
        found.kind === 'ready'
          ? found.kind
          : found.kind === 'limited'
            ? `${found.kind}: ${found.words} (${found.hint ?? ''})`
            : `${found.kind}: ${found.refusal.message} (${found.refusal.data.hint ?? ''})`;
      assert.equal(words, expected);
    });

  test('the verdict names every step that cannot begin, and what helps', () => {
    const { message, data } = stepsRefusal([
      ['implement', missing('claude')],
      ['review', missing('claude')],
    ]);
    assert.equal(message, 'The steps implement, review cannot begin.');
    const choose = 'Or choose an agent that is ready with --agent: supervisor agents';
    assert.equal(data.hint, `install claude. ${choose}`);
  });
});
