import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildChain } from './chain.ts';
import { isRefusal } from '../base/errors.ts';
import { toSettings } from '../settings/settings.ts';
import { runAgents } from './run-agents.ts';
import type { Availability } from '../protocol/commands.ts';

type Asked = { readonly agent?: string; readonly chain?: string[] };

const THREE = {
  agents: [
    { id: 'a', cli: 'claude' },
    { id: 'b', cli: 'codex' },
    { id: 'c', cli: 'gemini' },
  ],
};
const MAP = { ...THREE, selection: { fallbacks: { a: 'c', c: 'opencode', opencode: 'a' } } };

function chain(
  asked: Asked,
  config: object,
  ready: string | null,
  survey?: Partial<Availability>,
): string {
  const settings = toSettings(config, '/user');
  const looked: Availability = { at: '', cooling: [], uses: {}, lastFirst: null, ...survey };
  return buildChain(runAgents(asked, settings, ready), looked).join(' ');
}

function mode(word: string, more: object = {}): object {
  return { ...THREE, selection: { mode: word, ...more } };
}

describe('the chain of a run', () => {
  const cases: [
    why: string,
    asked: Asked,
    config: object,
    chain: string,
    survey?: Partial<Availability>,
  ][] = [
    ['is the configured agents in their order', {}, THREE, 'a b c'],
    ['begins with the default agent', {}, { ...THREE, default_agent: 'b' }, 'b a c'],
    ['begins with the agent that was named', { agent: 'c' }, THREE, 'c a b'],
    ['is the named chain and nothing else', { chain: ['c', 'a'] }, THREE, 'c a'],
    ['is a plain CLI alone, since nobody follows it', { agent: 'codex' }, THREE, 'codex'],
    ['follows the fallbacks, where a circle is cut', {}, MAP, 'a c opencode'],
    ['follows them from wherever it begins', { agent: 'c' }, MAP, 'c opencode a'],
    ['is one agent where nobody follows it', { agent: 'b' }, MAP, 'b'],
    ['is the pinned agent alone', {}, mode('pinned', { pinned: 'b' }), 'b'],
    [
      'begins with the agent whose turn it is',
      {},
      mode('round-robin'),
      'b c a',
      { lastFirst: 'a' },
    ],
    ['begins anew after the last', {}, mode('round-robin'), 'a b c', { lastFirst: 'c' }],
    ['begins with the first where nobody has begun', {}, mode('round-robin'), 'a b c'],
    [
      'begins with the one that has worked least, the list breaks ties',
      {},
      mode('least-used'),
      'b c a',
      { uses: { 'claude::::::': 2, 'codex::::::': 1, 'gemini::::::': 1 } },
    ],
    [
      'has one entry an identity',
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
      'has two programs of a user as two',
      {},
      {
        agents: [
          { id: 'x', cli: 'custom', command: ['./x'] },
          { id: 'y', cli: 'custom', command: ['./y'] },
        ],
      },
      'x y',
    ],
    ['is the CLI that is ready where nobody configured any', {}, {}, 'codex'],
    [
      'and has two scripted agents as two',
      { chain: ['scripted:crashes', 'scripted'] },
      {},
      'scripted:crashes scripted',
    ],
  ];
  for (const [why, asked, config, expected, survey] of cases)
    test(why, () => assert.equal(chain(asked, config, 'codex', survey), expected));
});

describe('a run is refused', () => {
  const cases: [why: string, asked: Asked, config: object][] = [
    ['when a fallback names nobody', {}, { ...THREE, selection: { fallbacks: { a: 'nobody' } } }],
    ['when the chain names nobody', { chain: ['a', 'nobody'] }, THREE],
    ['when nobody is pinned', {}, mode('pinned')],
    ['when there is nobody at all', {}, {}],
  ];
  for (const [why, asked, config] of cases)
    test(why, () =>
      assert.throws(
        () => chain(asked, config, null),
        (error) => isRefusal(error, 'agent.unknown'),
      ),
    );

  test('when it names an agent and a chain', () =>
    assert.throws(
      () => chain({ agent: 'a', chain: ['b'] }, THREE, null),
      (error) => isRefusal(error, 'usage.invalid'),
    ));
});
