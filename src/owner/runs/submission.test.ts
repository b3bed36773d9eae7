import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentAccount } from '../../attempts/choice/identity.ts';
import { isRefusal } from '../../base/errors.ts';
import { toSettings } from '../../settings/settings.ts';
import type { Settings } from '../../settings/settings.ts';
import { projectLimits, buildSubmission } from './submission.ts';

function settings(config: object = {}): Settings {
  return toSettings(config, '/user');
}

const MINE = { agents: [{ id: 'mine', cli: 'scripted', args: ['3'], env: { A: 'b' } }] };
const request = { task: 'do it', project: '/project' };

describe('a run pins', () => {
  const cases: [why: string, agent: string | undefined, config: object, pinned: object][] = [
    [
      'the agent that was named',
      'mine',
      MINE,
      { id: 'mine', cli: 'scripted', args: ['3'], env: { A: 'b' } },
    ],
    [
      'the default agent if none was named',
      undefined,
      { ...MINE, default_agent: 'mine' },
      { id: 'mine', cli: 'scripted', args: ['3'], env: { A: 'b' } },
    ],
    [
      'the built-in agent of a CLI',
      'scripted',
      MINE,
      { id: 'scripted', cli: 'scripted', args: [], env: {} },
    ],
    [
      'the name of a secret and a hash that distinguishes accounts, and never the value',
      'mine',
      { agents: [{ ...MINE.agents[0], env: { A: 'b', MY_TOKEN: 'tell-nobody' } }] },
      {
        ...{ id: 'mine', cli: 'scripted', args: ['3'], env: { A: 'b' } },
        secrets: ['MY_TOKEN'],
        account: agentAccount({ MY_TOKEN: 'tell-nobody' }),
      },
    ],
    [
      'the program of a scripted agent',
      'scripted:crashes',
      {},
      { id: 'scripted:crashes', cli: 'scripted', args: [], env: {}, model: 'crashes' },
    ],
  ];
  for (const [why, agent, config, pinned] of cases) {
    test(why, () => {
      const asked = { ...request, ...(agent === undefined ? {} : { agent }) };
      const { attempt, sandbox, gateway, budget, setup, classify, steering, ...given } =
        settings(config);
      const found = { model: null, configDir: null, command: null, output: null, ...pinned };
      assert.deepEqual(buildSubmission(asked, settings(config)), {
        program: 'attempts',
        task: 'do it',
        project: '/project',
        settings: {
          agent: found,
          chain: [found],
          order: 'as-listed',
          fallbacks: {},
          recovery: given.recovery,
          capacity: given.capacity,
          gates: [],
          baseline: true,
          once: false,
          ignoreCooldown: false,
          ...attempt,
          sandbox,
          gateway,
          budget,
          setup,
          rules: classify.rules,
          steering,
          unsafe: false,
        },
      });
    });
  }

  const refused: [why: string, agent: string | undefined, config: object, hint: string][] = [
    [
      'no agent is named, configured or available',
      undefined,
      {},
      'Install an agent CLI and log in, or set its key: supervisor doctor shows how. To try Supervisor without one: --agent scripted',
    ],
    [
      'the agent is unknown',
      'yours',
      MINE,
      'Use one of: mine, scripted, claude, codex, gemini, copilot, opencode',
    ],
    [
      'it is custom and not configured',
      'custom',
      {},
      'Use one of: scripted, claude, codex, gemini, copilot, opencode',
    ],
  ];
  for (const [why, agent, config, hint] of refused) {
    test(`a submission is refused if ${why}`, () => {
      const asked = { ...request, ...(agent === undefined ? {} : { agent }) };
      assert.throws(
        () => buildSubmission(asked, settings(config)),
        (error) => isRefusal(error, 'agent.unknown') && error.data.hint === hint,
      );
    });
  }
});

test('one attempt has one agent: --once pins only the first one', () => {
  const two = settings({ agents: [...MINE.agents, { id: 'second', cli: 'codex' }] });
  const ids = (once: boolean): readonly string[] =>
    (buildSubmission({ ...request, once }, two).settings.chain ?? []).map(({ id }) => id);
  assert.deepEqual(ids(false), ['mine', 'second']);
  assert.deepEqual(ids(true), ['mine']);
});

test('the limits come from the settings, and a rate only if one is set', () => {
  const limits = { attempts: 5 };
  assert.deepEqual(
    projectLimits(settings({ limits, capacity: { runs_max: 2, per_agent_max: 3 } })),
    [
      { key: 'attempts', concurrencyMax: 5 },
      { key: 'project:*', concurrencyMax: 2, countsRuns: true },
      { key: 'agent:*', concurrencyMax: 3 },
    ],
  );
  assert.deepEqual(projectLimits(settings({ limits: { ...limits, starts_per_minute: 7 } }))[0], {
    key: 'attempts',
    concurrencyMax: 5,
    rate: { startsMax: 7, perMs: 60_000 },
  });
});
