import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import { runStream } from '../../protocol/streams.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { runEvent } from '../../../test/support/run-event.ts';
import type { FindRunPorts } from './find-run.ts';
import { findRun } from './find-run.ts';

const RUNS: readonly (readonly [id: string, project: string, program: string])[] = [
  ['0000000001', '/shop', 'attempts'],
  ['ab00000002', '/shop', 'attempts'],
  ['ab10000003', '/blog', 'attempts'],
  ['cd00000004', '/shop', AGENT_PROGRAM],
];

async function ports(agents: FindRunPorts['agents'] = []): Promise<FindRunPorts> {
  const journal = new MemoryJournal();
  for (const [id, project, program] of RUNS) {
    const life = { parent: null };
    const payload = { program, task: `work of ${id}`, project, settings: { longLived: life } };
    const submitted = runEvent({ type: 'run.submitted', payload });
    await journal.append(runStream(id), 0, [submitted], at(1));
  }
  return { journal, agents };
}

function agent(
  name: string,
  run: string,
  project = '/shop',
  hasEnded = false,
): FindRunPorts['agents'][number] {
  return { name, run, project, ended: hasEnded };
}

async function found(
  reference: string,
  project?: string,
  agents?: FindRunPorts['agents'],
  purpose?: 'read' | 'change',
) {
  try {
    return await findRun(await ports(agents), reference, project, purpose);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.data.code}: ${error.message}`;
  }
}

describe('a reference to a run', () => {
  const docs = agent('docs', 'cd00000004');
  const cases: readonly [
    why: string,
    reference: string,
    expected: string,
    project?: string,
    agents?: FindRunPorts['agents'],
  ][] = [
    ['a whole id is not looked up', '9999999999', '9999999999'],
    ['a whole id in capitals', 'AB00000002', 'ab00000002'],
    ['the beginning of one id', 'ab0', 'ab00000002'],
    ['the beginning of one id in capitals', 'AB0', 'ab00000002'],
    ['last in capitals', 'Last', 'ab10000003'],
    ['the name of an agent in capitals', 'Docs', 'cd00000004', '/shop', [docs]],
    ['one digit, if it is unique', 'c', 'cd00000004'],
    [
      'the beginning of several ids',
      'ab',
      'run.ambiguous: Several runs begin with ab: ab10000003 (work of ab10000003), ab00000002 (work of ab00000002).',
    ],
    [
      'the beginning of no id',
      'ef',
      'run.not-found: There is no run whose id begins with ef, and no agent of that name.',
    ],
    [
      'neither digits nor a name',
      'xyz',
      'run.not-found: "xyz" is not a run: there is no agent of that name, and a run id has ten hex digits.',
    ],
    [
      'last with a typo',
      'lst',
      'run.not-found: "lst" is not a run: there is no agent of that name, and a run id has ten hex digits (did you mean "last"?).',
    ],
    [
      'the name of an agent with a typo',
      'dosc',
      'run.not-found: "dosc" is not a run: there is no agent of that name, and a run id has ten hex digits (did you mean "docs"?).',
      '/shop',
      [docs],
    ],
    ['last is the newest run, not an agent', 'last', 'ab10000003'],
    ['last in a project is the newest run there', 'last', 'ab00000002', '/shop'],
    [
      'last in a project without runs names the newest of all',
      'last',
      'run.not-found: No run belongs to /empty. The last run is ab10000003 (work of ab10000003) of /blog.',
      '/empty',
    ],
    ['the name of an agent', 'docs', 'cd00000004', '/shop', [docs]],
    ['the name of an agent elsewhere', 'docs', 'cd00000004', '/blog', [docs]],
    [
      'the name of two agents: the one of this project',
      'docs',
      'ee00000005',
      '/blog',
      [docs, agent('docs', 'ee00000005', '/blog')],
    ],
    [
      'the name of two agents, both elsewhere',
      'docs',
      'run.ambiguous: Several projects have an agent docs: /shop, /blog.',
      '/other',
      [docs, agent('docs', 'ee00000005', '/blog')],
    ],
    [
      'an agent that has not ended comes before a later one that has',
      'docs',
      'cd00000004',
      '/shop',
      [docs, agent('docs', 'ee00000005', '/shop', true)],
    ],
    [
      'of ended agents, the latest',
      'docs',
      'ee00000005',
      '/shop',
      [agent('docs', 'cd00000004', '/shop', true), agent('docs', 'ee00000005', '/shop', true)],
    ],
    ['a name comes before digits', 'ab', 'ee00000006', '/shop', [agent('ab', 'ee00000006')]],
  ];
  for (const [why, reference, expected, project, agents] of cases)
    test(why, async () => assert.equal(await found(reference, project, agents), expected));

  const changes: readonly [why: string, reference: string, expected: string, project: string][] = [
    ['last of the project', 'last', 'ab00000002', '/shop'],
    [
      'not last of another project',
      'last',
      'run.not-found: No run belongs to /empty. The last run is ab10000003 (work of ab10000003) of /blog.',
      '/empty',
    ],
    ['an agent of the project', 'docs', 'cd00000004', '/shop'],
    [
      'not an agent of another project',
      'docs',
      'run.not-found: /blog has no agent docs. There is one in another project: cd00000004 of /shop.',
      '/blog',
    ],
    ['the beginning of an id, also of another project', 'ab1', 'ab10000003', '/shop'],
  ];
  for (const [why, reference, expected, project] of changes)
    test(`for a command that changes something: ${why}`, async () =>
      assert.equal(await found(reference, project, [docs], 'change'), expected));

  test('last, when nothing has run', async () => {
    const nothing = { journal: new MemoryJournal(), agents: [] };
    for (const purpose of ['read', 'change'] as const)
      await assert.rejects(findRun(nothing, 'last', '/shop', purpose), /nothing has run yet/);
  });
});

test('last is a workflow if that is the newest run', async () => {
  const journal = new MemoryJournal();
  const workflow = { definition: { name: 'mvp', steps: {} } };
  const runs = [
    ['ef00000005', 'attempts', {}],
    ['ef00000006', WORKFLOW_PROGRAM, { workflow }],
  ] as const;
  for (const [place, [id, program, settings]] of runs.entries()) {
    const payload = { program, task: 'x', project: '/steps', settings };
    const submitted = runEvent({ type: 'run.submitted', payload });
    await journal.append(runStream(id), 0, [submitted], at(place + 1));
  }
  assert.equal(await findRun({ journal, agents: [] }, 'last', '/steps'), 'ef00000006');
});
