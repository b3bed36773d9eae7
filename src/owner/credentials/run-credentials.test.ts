import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../base/clock.ts';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { runStream } from '../../protocol/streams.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import { MemoryJournal } from '../../store/memory/memory-journal.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { submitted } from '../../../test/support/run-history-fixture.ts';
import { runViewFixture } from '../../../test/support/run-view-fixture.ts';
import { RunCredentials } from './run-credentials.ts';
import { RunEnvironments } from './run-environments.ts';

const RUN = '0123456789' as RunId;

function agent(id: string, ...names: readonly string[]): object {
  const given = { names, digest: 'of other values' };
  return { id, cli: id, args: [], env: {}, given };
}

const CLAUDE = agent('claude', 'ANTHROPIC_API_KEY');
const CODEX = agent('codex', 'OPENAI_API_KEY');

async function credentials(
  chain: readonly object[],
  view: Partial<RunView> = {},
  settings: object = {},
): Promise<RunCredentials> {
  const journal = new MemoryJournal();
  const pinned = { agent: chain[0], chain, ...settings };
  await journal.append(runStream(RUN), 0, [submitted('x', { settings: pinned })], at(0));
  return new RunCredentials({
    options: {} as never,
    environments: new RunEnvironments({}),
    journal: () => journal,
    view: () => Promise.resolve(runViewFixture({ id: RUN, ...view })),
    executionHost: { clock: new ManualClock(), userDir: '/nowhere' },
    answer: () => Promise.resolve(),
  });
}

describe('the keys of a run', () => {
  const both =
    'claude needs the key ANTHROPIC_API_KEY; codex needs the key OPENAI_API_KEY. ' +
    `From a shell that has them, run: supervisor resume ${RUN}`;
  const cases: [why: string, given: Parameters<typeof credentials>, expected: string | null][] = [
    ['are named with the agent that needs them', [[CLAUDE, CODEX]], `The run waits: ${both}`],
    [
      'of one agent of several: the others can work',
      [[CLAUDE, agent('scripted')]],
      `An agent can't start: claude needs the key ANTHROPIC_API_KEY. From a shell that has it, run: supervisor resume ${RUN}`,
    ],
    [
      'that no shell had when the run was submitted',
      [[agent('codex')]],
      'codex can reach no model: your shell has no OPENAI_API_KEY, and codex has no login that works in a sandbox. Set it, or log in, and run the command again from that shell.',
    ],
    ['are not needed by a scripted agent', [[agent('scripted')]], null],
    [
      'that a run without a sandbox was given, and lacks now',
      [[CODEX], {}, { unsafe: true }],
      `The run waits: codex needs the key OPENAI_API_KEY. From a shell that has it, run: supervisor resume ${RUN}`,
    ],
    ['are not needed without a sandbox', [[agent('codex')], {}, { unsafe: true }], null],
    ['of a run that has ended are forgotten', [[CLAUDE], { endedAt: 1 }], null],
    [
      'of other agents of a run that has ended, too',
      [[agent('scripted'), CLAUDE], { endedAt: 1 }],
      null,
    ],
    [
      'that no shell had, though the run has ended for that reason',
      [[agent('codex')], { endedAt: 1 }],
      'codex can reach no model: your shell has no OPENAI_API_KEY, and codex has no login that works in a sandbox. Set it, or log in, and run the command again from that shell.',
    ],
  ];
  for (const [why, given, expected] of cases)
    test(why, async () => assert.equal(await (await credentials(...given)).lacks(RUN), expected));

  const money = {
    key: 'ask-1',
    command: 'ask',
    begunAt: 0,
    choices: ['continue', 'stop'],
  } as const;
  const keys = { key: 'ask-1', command: 'ask', begunAt: 0, about: 'keys' } as const;
  const port = { key: 'ask-1', command: 'ask', begunAt: 0 } as const;
  const answers: [why: string, asked: object, choice: string, lacks: string | null][] = [
    [
      'to go on after a spent budget, if the key is missing',
      money,
      'continue',
      'ANTHROPIC_API_KEY',
    ],
    ['to try again, if the key is still missing', keys, 'retry', 'ANTHROPIC_API_KEY'],
    ['to stop, which needs no key', money, 'stop', null],
    ['to stop instead of giving the key', keys, 'stop', null],
    ['to an agent, whatever it has', port, '80', null],
  ];
  for (const [why, asked, choice, lacks] of answers)
    test(`are ${lacks === null ? 'not ' : ''}asked for by an answer ${why}`, async () => {
      const of = await credentials([CLAUDE], { agent: 'claude', open: [asked] as never });
      const answered = of.supplyForAnswer(RUN, {}, choice);
      if (lacks === null) return answered;
      return assert.rejects(
        answered,
        (error) => isRefusal(error, 'agent.keys-missing') && error.message.includes(lacks),
      );
    });

  const remedies: [why: string, asked: object, choice: string, remedy: string][] = [
    [
      'about a budget is given again from another shell',
      money,
      'continue',
      `supervisor answer ${RUN} continue`,
    ],
    ['about a key is given by resume', keys, 'retry', `supervisor resume ${RUN}`],
  ];
  for (const [why, asked, choice, remedy] of remedies)
    test(`an answer ${why}`, async () => {
      const of = await credentials([CLAUDE], { agent: 'claude', open: [asked] as never });
      await assert.rejects(
        of.supplyForAnswer(RUN, {}, choice),
        (error) =>
          isRefusal(error, 'agent.keys-missing') && error.data.hint?.endsWith(remedy) === true,
      );
    });

  test('may come with an answer, also those that its first command did not have', async () => {
    const view = { agent: 'codex', open: [keys] };
    const of = await credentials([agent('codex')], view);
    await assert.rejects(of.supplyForAnswer(RUN, {}, 'retry'), (error) =>
      isRefusal(error, 'agent.no-key'),
    );
    await of.supplyForAnswer(RUN, { OPENAI_API_KEY: 'k' }, 'retry');
    assert.equal(await of.lacks(RUN), null);
  });

  test('are refused by the name of each agent, whichever worked last', async () => {
    const open = [{ key: 'ask-1', command: 'ask', begunAt: 0, about: 'keys' } as const];
    const view = { agent: 'codex', open };
    const { continueWith } = await credentials([CLAUDE, CODEX], view).then((one) => ({
      continueWith: () => one.continueWith(RUN, {}),
    }));
    await assert.rejects(
      continueWith(),
      (error) =>
        isRefusal(error, 'agent.keys-missing') &&
        `${error.message} ${error.data.hint ?? ''}` === both,
    );
  });

  test('of a workflow are those of all of its roles', async () => {
    const roles = {
      planner: { settings: { agent: CODEX } },
      coder: { settings: { agent: CLAUDE } },
    };
    const given = await credentials([CLAUDE], {}, { workflow: { roles } });
    const { names } = await given.namesOf(RUN);
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY'])
      assert.ok(names.includes(name), name);
    assert.match(
      (await given.lacks(RUN)) ?? '',
      /codex needs the key OPENAI_API_KEY; claude needs/,
    );
  });
});
