import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { AgentRecord } from './agent-registry.ts';
import { findAgent, findParent } from './spawn-rules.ts';

function agent(name: string, run: string, project: string, isOver = false): AgentRecord {
  return {
    run: run as RunId,
    project,
    settings: { name, kind: 'mortal', parent: null },
    status: { isOver },
  } as unknown as AgentRecord;
}

const AGENTS: readonly AgentRecord[] = [
  agent('zed', '9bc1000001', '/other'),
  agent('docs', 'abc2000002', '/here'),
  agent('web', 'abc2000003', '/here'),
  agent('docs', 'abc3000004', '/here', true),
  agent('abc2', 'def0000005', '/here'),
];

function said(find: () => AgentRecord | null): string {
  try {
    return find()?.run ?? 'none';
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return `${error.data.code}: ${error.message} ${error.data.hint}`;
  }
}

describe('an agent that a person names', () => {
  const list = 'List the agents with: supervisor tree --all';
  const cases: readonly [why: string, words: string, project: string | undefined, found: string][] =
    [
      ['by its whole id, in any project', '9bc1000001', '/here', '9bc1000001'],
      ['by its name: not one that has ended', 'docs', '/here', 'abc2000002'],
      ['a name comes before the beginning of an id', 'abc2', '/here', 'def0000005'],
      ['by the beginning of its id', 'abc3', '/here', 'abc3000004'],
      ['by the beginning of its id, without a project', '9bc1', undefined, '9bc1000001'],
      [
        'not by the beginning of the id of an agent of another project',
        '9bc1',
        '/here',
        `agent.not-found: There is no agent "9bc1" in /here. ${list}`,
      ],
      [
        'not by fewer than four digits, also if only one agent has them',
        'def',
        '/here',
        `agent.not-found: There is no agent "def" in /here. The beginning of an id needs at least 4 digits. ${list}`,
      ],
      [
        'not by a beginning that several agents have',
        'abc20',
        '/here',
        'agent.ambiguous: The ids of several agents begin with abc20: abc2000002 (docs), abc2000003 (web). Add more digits of the id, or use the name.',
      ],
    ];
  for (const [why, words, project, found] of cases)
    test(why, () =>
      assert.equal(
        said(() => findAgent(words, project, AGENTS)),
        found,
      ),
    );

  test('an agent of another project is no parent by one digit of its id', () => {
    assert.match(
      said(() => findParent('9', 'mortal', '/here', AGENTS)),
      /^agent\.not-found: There is no agent "9" in \/here/,
    );
  });

  test('many candidates are not all listed', () => {
    const many = [1, 2, 3, 4, 5, 6, 7].map((n) => agent(`w${n}`, `abcd00000${n}`, '/here'));
    assert.match(
      said(() => findAgent('abcd', '/here', many)),
      /abcd000005 \(w5\) and more\./,
    );
  });
});
