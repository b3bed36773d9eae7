import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agent, settingsFor } from '../../../test/support/drive-attempts.ts';
import { isRefusal } from '../../base/errors.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { ResumeChanges } from '../../protocol/resume-changes.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import { NO_BUDGET_SPENT } from '../../protocol/views/budget-view.ts';
import { toSettings } from '../../settings/settings.ts';
import type { Variables } from '../credentials/given-variables.ts';
import { digestOf, pinAgent } from '../credentials/given-variables.ts';
import { changedSubmission } from './changed-submission.ts';

const spent = { tokens: 500, usd: 2, calls: 3 };
const before = { ...spent, wallMs: 120_000 };
const configured = toSettings({ agents: [{ id: 'mine', cli: 'codex' }] }, '/user');

function submitted(chain: readonly AgentSpec[] = [agent('claude'), agent('codex')]) {
  const settings = { ...settingsFor(['claude', 'codex']), agent: chain[0] ?? agent('a'), chain };
  return { program: 'attempts', task: 'do it', project: '/app', settings } as const;
}

function resume(
  changes: ResumeChanges,
  variables: Variables = {},
  submission: AttemptsSubmission = submitted(),
): Promise<AttemptsSubmission> {
  const view = { id: '0123456789', agent: 'codex', budget: { ...NO_BUDGET_SPENT, spent, before } };
  const source = { variables, isFromShell: true };
  return changedSubmission({ submission, view, source, settings: async () => configured }, changes);
}

describe('a run that is resumed', () => {
  test('is the same if nothing is changed and the shell has no key', async () =>
    assert.deepEqual(await resume({}), submitted()));

  test('has another deadline and other budgets', async () => {
    const changes = { deadlineMs: 7_200_000, budgetUsd: 5, budgetTokens: 9000 };
    const { settings } = await resume(changes);
    const { usd, tokens } = settings.budget.run;
    assert.deepEqual([settings.deadlineMs, usd, tokens], [7_200_000, 5, 9000]);
  });

  test('has the message in its task, and says it to the next agent', async () => {
    const { task, resumed } = await resume({ message: 'Keep the API.' });
    assert.deepEqual([task, resumed], ['do it\n\nKeep the API.', { message: 'Keep the API.' }]);
  });

  const chains: [why: string, changes: ResumeChanges, chain: string[], next: string][] = [
    ['an agent of the run is next', { agent: 'codex' }, ['codex', 'claude'], 'codex'],
    ['so is another one of the settings', { agent: 'mine' }, ['mine', 'claude', 'codex'], 'mine'],
    [
      'a model is that of the agent which worked last',
      { model: 'm' },
      ['codex m', 'claude'],
      'codex',
    ],
    [
      'or that of the agent which is named',
      { model: 'm', agent: 'claude' },
      ['claude m', 'codex'],
      'claude',
    ],
  ];
  for (const [why, changes, chain, next] of chains)
    test(why, async () => {
      const { settings, resumed } = await resume(changes);
      const names = (settings.chain ?? []).map(({ id, model }) => `${id} ${model ?? ''}`.trim());
      assert.deepEqual([names, resumed?.agent], [chain, next]);
      assert.equal(settings.agent, settings.chain?.[0]);
    });

  test('asks for an agent once: a later resume lets the run decide', async () => {
    const named = await resume({ agent: 'codex' });
    assert.equal((await resume({}, {}, named)).resumed, undefined);
  });

  test('takes the keys of the shell that resumes it, even if it was given none', async () => {
    const keyless = submitted([
      pinAgent(agent('claude'), { variables: {}, isFromShell: true }),
      agent('codex'),
    ]);
    const { settings } = await resume({}, { ANTHROPIC_API_KEY: 'new' }, keyless);
    const digest = digestOf({ ANTHROPIC_API_KEY: 'new' });
    assert.deepEqual(settings.chain?.[0]?.given, { names: ['ANTHROPIC_API_KEY'], digest });
    assert.deepEqual(settings.agent.given, { names: ['ANTHROPIC_API_KEY'], digest });
  });

  test('waits for the keys that it was given at first if the shell has none', async () => {
    const source = { variables: { ANTHROPIC_API_KEY: 'old' }, isFromShell: true };
    const keyed = submitted([pinAgent(agent('claude'), source)]);
    const { settings } = await resume({}, { ANTHROPIC_BASE_URL: 'https://x.example' }, keyed);
    assert.deepEqual(settings.agent.given, keyed.settings.agent.given);
  });

  test('waits for its address if the shell has only a key', async () => {
    const variables = { OPENAI_API_KEY: 'old', OPENAI_BASE_URL: 'https://x.example' };
    const keyed = submitted([pinAgent(agent('codex'), { variables, isFromShell: true })]);
    const { settings } = await resume({}, { OPENAI_API_KEY: 'new' }, keyed);
    assert.deepEqual(settings.agent.given, keyed.settings.agent.given);
  });

  const refused: [why: string, changes: ResumeChanges, code: string, message: RegExp][] = [
    ['a budget that is spent', { budgetUsd: 2 }, 'request.invalid', /has spent \$2\.00 so far/],
    ['so many tokens that are used', { budgetTokens: 500 }, 'request.invalid', /500 tokens/],
    ['a time that is over', { budgetTimeMs: 60_000 }, 'request.invalid', /has spent 2m00s so far/],
    ['an agent that does not exist', { agent: 'nope' }, 'agent.unknown', /no agent "nope"/],
  ];
  for (const [why, changes, code, message] of refused)
    test(`is refused with ${why}`, () =>
      assert.rejects(resume(changes), (error) => {
        assert.ok(isRefusal(error) && error.data.code === code);
        assert.match(error.message, message);
        return true;
      }));
});
