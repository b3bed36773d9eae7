import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EndedAttempt } from '../../metrics/ended-attempt.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { AttemptsSubmission } from '../../protocol/run-submission.ts';
import type { Settings } from '../../settings/settings.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import { withLearnedAgent } from './learned-agent.ts';

const RECORDS = ['main', 'second'].flatMap((agent) =>
  Array.from({ length: 20 }, () => ({
    ...{ agent, endedAt: 1, role: null, task: 'task', end: 'completed', costUsd: null },
    ...{ verdict: agent === 'main' ? 'red' : 'green', isRetry: false, leftDefault: false },
  })),
) as readonly unknown[] as readonly EndedAttempt[];

const AGENTS = ['main', 'second', 'third'].map((id): AgentSpec => ({
  id,
  cli: id,
  args: [],
  env: {},
}));
const SUBMISSION = {
  ...{ program: 'attempts', task: 't', project: '/p' },
  settings: { ...PINNED_DEFAULTS, agent: AGENTS[0], chain: AGENTS },
} as unknown as AttemptsSubmission;

/** The order of the agents, and what is recorded about the choice. */
async function begin(
  selection: Partial<Settings['selection']>,
  request: Partial<RunRequest> = {},
): Promise<string> {
  const set = {
    mode: 'fallback',
    fallbacks: {},
    pinned: null,
    learned: 'on',
    learnedRules: { samplesMin: 10, days: 30, deviationMax: 0.2 },
    ...selection,
  } as const;
  const { settings, choice } = await withLearnedAgent(
    SUBMISSION,
    { task: 't', project: '/p', ...request },
    { selection: set },
    { records: () => Promise.resolve(RECORDS), now: () => 2, random: () => 0.9 },
  );
  assert.equal(settings.agent.id, settings.chain?.[0]?.id);
  return `${settings.chain?.map(({ id }) => id).join()} ${choice?.kind ?? 'nothing'}`;
}

const KEPT = 'main,second,third';

const TABLE: readonly [
  why: string,
  selection: Partial<Settings['selection']>,
  request: Partial<RunRequest>,
  expected: string,
][] = [
  [
    'a better agent begins, and the others follow in their order',
    {},
    {},
    'second,main,third learned',
  ],
  ['a suggestion changes nothing', { learned: 'suggest' }, {}, `${KEPT} suggested`],
  ['nothing is looked up if it is off', { learned: 'off' }, {}, `${KEPT} nothing`],
  ['an agent that a person named stays', {}, { agent: 'main' }, `${KEPT} nothing`],
  ['a chain that a person named stays', {}, { chain: ['main', 'second'] }, `${KEPT} nothing`],
  ['a model that a person named stays', {}, { model: 'opus' }, `${KEPT} nothing`],
  ['several agents need no choice', {}, { bestOf: 2 }, `${KEPT} nothing`],
  ['another mode has decided already', { mode: 'round-robin' }, {}, `${KEPT} nothing`],
  [
    'an order of fallbacks stays, with a suggestion',
    { fallbacks: { main: 'third' } },
    {},
    `${KEPT} suggested`,
  ],
];

describe('the first agent by earlier attempts', () => {
  for (const [why, selection, request, expected] of TABLE)
    test(why, async () => {
      assert.equal(await begin(selection, request), expected);
    });
});
