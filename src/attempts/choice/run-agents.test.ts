import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildChain } from './chain.ts';
import { SCRIPTED_PROGRAMS } from '../../adapters/scripted/scripted-programs.ts';
import { isRefusal } from '../../base/errors.ts';
import { toSettings } from '../../settings/settings.ts';
import { runAgents } from './run-agents.ts';
import type { Availability } from '../../protocol/commands.ts';

type AgentRequest = { readonly agent?: string; readonly chain?: string[] };

const THREE = {
  agents: [
    { id: 'a', cli: 'claude' },
    { id: 'b', cli: 'codex' },
    { id: 'c', cli: 'gemini' },
  ],
};
const MAP = { ...THREE, selection: { fallbacks: { a: 'c', c: 'opencode', opencode: 'a' } } };

/** As `supervisor init` writes it: it declares no agents. */
const INIT = {
  default_agent: 'claude',
  selection: { fallbacks: { claude: 'codex', codex: 'gemini' } },
};

function chain(
  request: AgentRequest,
  config: object,
  ready: string | null,
  more?: Partial<Availability>,
): string {
  const settings = toSettings(config, '/user');
  const availability: Availability = { at: '', cooling: [], uses: {}, lastFirst: null, ...more };
  return buildChain(runAgents(request, settings, ready), availability).join(' ');
}

describe('--model', () => {
  const settings = toSettings(
    {
      agents: [
        { id: 'a', cli: 'claude', model: 'own' },
        { id: 'b', cli: 'codex', model: 'own' },
      ],
    },
    '/user',
  );

  test('is the model of the first agent only', () => {
    const models = (request: AgentRequest & { readonly model?: string }): readonly string[] =>
      runAgents(request, settings, null).agents.map(({ id, model }) => `${id} ${model}`);
    assert.deepEqual(models({ model: 'big' }), ['a big', 'b own']);
    assert.deepEqual(models({ agent: 'b', model: 'big' }), ['b big', 'a own']);
    assert.deepEqual(models({ chain: ['b', 'a'], model: 'big' }), ['b big', 'a own']);
    assert.deepEqual(models({}), ['a own', 'b own']);
  });

  test('is refused if no agent is first', () => {
    const turns = toSettings(mode('round-robin'), '/user');
    assert.throws(
      () => runAgents({ model: 'big' }, turns, null),
      (error: unknown) =>
        isRefusal(error, 'usage.invalid') && /--agent a/.test(error.data.hint ?? ''),
    );
  });
});

test('a misspelt agent is refused with the nearest id', () => {
  assert.throws(
    () => runAgents({ agent: 'cluade' }, toSettings({}, '/user'), null),
    (error: unknown) =>
      isRefusal(error, 'agent.unknown') &&
      error.message === 'There is no agent "cluade" here (did you mean "claude"?).',
  );
});

describe('a scripted agent that does not exist is refused with the nearest one and the list', () => {
  const cases: [id: string, message: string][] = [
    [
      'scripted:crash',
      'There is no agent "scripted:crash" here (did you mean "scripted:crashes"?).',
    ],
    [
      'scripted:NEVER-SPEAK',
      'There is no agent "scripted:NEVER-SPEAK" here (did you mean "scripted:never-speaks"?).',
    ],
    ['scripted:', 'There is no agent "scripted:" here.'],
    [
      'scripted:crashes:2',
      'There is no agent "scripted:crashes:2" here (did you mean "scripted:crashes"?).',
    ],
  ];
  for (const [id, message] of cases)
    for (const request of [{ agent: id }, { chain: ['scripted', id] }])
      test(JSON.stringify(request), () => {
        assert.throws(
          () => runAgents(request, toSettings({}, '/user'), null),
          (error: unknown) =>
            isRefusal(error, 'agent.unknown') &&
            error.message === message &&
            error.data.hint ===
              `Use scripted:NAME with one of these names: ${SCRIPTED_PROGRAMS.join(', ')}`,
        );
      });
});

function mode(word: string, more: object = {}): object {
  return { ...THREE, selection: { mode: word, ...more } };
}

describe('the chain of a run', () => {
  const cases: [
    why: string,
    request: AgentRequest,
    config: object,
    chain: string,
    more?: Partial<Availability>,
  ][] = [
    ['contains the configured agents in their order', {}, THREE, 'a b c'],
    ['begins with the default agent', {}, { ...THREE, default_agent: 'b' }, 'b a c'],
    ['begins with the agent that the request names', { agent: 'c' }, THREE, 'c a b'],
    ['is exactly the chain that the request names', { chain: ['c', 'a'] }, THREE, 'c a'],
    [
      'keeps the configured agents behind a plain CLI, each identity once',
      { agent: 'codex' },
      THREE,
      'codex a c',
    ],
    [
      'contains only the agent that is named, if none is configured',
      { agent: 'claude' },
      {},
      'claude',
    ],
    ['follows the fallbacks, and ends before an agent would repeat', {}, MAP, 'a c opencode'],
    ['follows the fallbacks from any first agent', { agent: 'c' }, MAP, 'c opencode a'],
    [
      'keeps the usual chain behind an agent without a fallback',
      { agent: 'b' },
      MAP,
      'b a c opencode',
    ],
    ['of init is kept behind its last agent', { agent: 'gemini' }, INIT, 'gemini claude codex'],
    ['of init is kept behind its second agent', { agent: 'codex' }, INIT, 'codex gemini claude'],
    ['of init is as it was written', { agent: 'claude' }, INIT, 'claude codex gemini'],
    [
      'of init is kept behind an agent that it lacks',
      { agent: 'opencode' },
      INIT,
      'opencode claude codex gemini',
    ],
    ['of one agent is exactly that agent', { chain: ['codex'] }, INIT, 'codex'],
    [
      'contains only a scripted agent that is not configured',
      { agent: 'scripted' },
      INIT,
      'scripted',
    ],
    [
      'keeps the others behind a scripted agent that is configured',
      { agent: 'scripted:crashes' },
      { default_agent: 'scripted', selection: { fallbacks: { scripted: 'scripted:crashes' } } },
      'scripted:crashes scripted',
    ],
    ['contains only the pinned agent', {}, mode('pinned', { pinned: 'b' }), 'b'],
    [
      'begins with the next agent in round-robin order',
      {},
      mode('round-robin'),
      'b c a',
      { lastFirst: 'a' },
    ],
    [
      'begins with the first agent after the last one',
      {},
      mode('round-robin'),
      'a b c',
      { lastFirst: 'c' },
    ],
    ['begins with the first agent if no run has begun yet', {}, mode('round-robin'), 'a b c'],
    [
      'begins with the agent that has worked least, and the list breaks ties',
      {},
      mode('least-used'),
      'b c a',
      { uses: { 'claude::::::': 2, 'codex::::::': 1, 'gemini::::::': 1 } },
    ],
    [
      'has one entry per identity',
      {},
      {
        agents: [
          ...THREE.agents,
          { id: 'again', cli: 'claude' },
          { id: 'other', cli: 'claude', model: 'm' },
        ],
      },
      'a b c other',
    ],
    [
      'treats two custom commands as two agents',
      {},
      {
        agents: [
          { id: 'x', cli: 'custom', command: ['./x'] },
          { id: 'y', cli: 'custom', command: ['./y'] },
        ],
      },
      'x y',
    ],
    ['contains the CLI that is ready if no agent is configured', {}, {}, 'codex'],
    [
      'treats two scripted agents as two',
      { chain: ['scripted:crashes', 'scripted'] },
      {},
      'scripted:crashes scripted',
    ],
  ];
  for (const [why, request, config, expected, more] of cases)
    test(why, () => assert.equal(chain(request, config, 'codex', more), expected));
});

describe('a run is refused', () => {
  const cases: [why: string, request: AgentRequest, config: object][] = [
    [
      'if a fallback names an unknown agent',
      {},
      { ...THREE, selection: { fallbacks: { a: 'unknown' } } },
    ],
    ['if the chain names an unknown agent', { chain: ['a', 'unknown'] }, THREE],
    ['if no agent is pinned', {}, mode('pinned')],
    ['if there is no agent at all', {}, {}],
  ];
  for (const [why, request, config] of cases)
    test(why, () =>
      assert.throws(
        () => chain(request, config, null),
        (error) => isRefusal(error, 'agent.unknown'),
      ),
    );

  test('if it names an agent and a chain', () =>
    assert.throws(
      () => chain({ agent: 'a', chain: ['b'] }, THREE, null),
      (error) => isRefusal(error, 'usage.invalid'),
    ));
});
