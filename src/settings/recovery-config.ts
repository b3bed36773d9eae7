/** Schema of `selection`, `recovery` and `capacity`: which agent works, what follows a failure, how many run at once. */
import { z } from 'zod';
import { agentId } from './agent-config.ts';
import { KEYS, amount, whole } from './schema-fields.ts';

export const SELECTION_MODES = ['fallback', 'round-robin', 'least-used', 'pinned'] as const;
const LEARNED_MODES = ['off', 'suggest', 'on'] as const;
export const RECOVERY_PRESETS = [
  'fallback-first',
  'retry-then-fallback',
  'step-feedback',
  'supervised-restart',
] as const;

const AGENTS_MAX = 100;
const LEARNED = { samplesMin: 10, days: 30, deviationMax: 0.2 };
const YEAR_S = 31_536_000;

export const Selection = z
  .strictObject(
    {
      mode: z
        .enum(SELECTION_MODES, { error: `one of ${SELECTION_MODES.join(', ')}` })
        .prefault('fallback')
        .describe(
          'Which agent starts a run that names no agent: the first (fallback), the next in turn (round-robin), the least used, or the pinned one. Default: fallback.',
        ),
      fallbacks: z
        .record(agentId, agentId, KEYS)
        .refine((map) => Object.keys(map).length <= AGENTS_MAX, {
          error: `up to ${AGENTS_MAX} agents with their fallbacks`,
        })
        .prefault({})
        .describe('The agent that takes over from each agent. Default: the order of agents.'),
      pinned: agentId
        .optional()
        .describe('The agent that starts every run in mode pinned. Default: none.'),
      learned: z
        .enum(LEARNED_MODES, { error: `one of ${LEARNED_MODES.join(', ')}` })
        .prefault('suggest')
        .describe(
          'What the record of earlier attempts may do in mode fallback: nothing (off), be shown by why (suggest), or begin a few runs with a better agent (on). Default: suggest.',
        ),
      learned_samples_min: whole(1, 1000)
        .prefault(LEARNED.samplesMin)
        .describe('How many attempts of an agent must be known to compare it. Default: 10.'),
      learned_days: whole(1, 365)
        .prefault(LEARNED.days)
        .describe('Only attempts of so many days are compared. Default: 30.'),
      learned_deviation_max: amount(0, 1)
        .prefault(LEARNED.deviationMax)
        .describe(
          'The largest share of runs that may begin with another agent than the default because of what was learned. Default: 0.2.',
        ),
    },
    KEYS,
  )
  .transform(({ mode, fallbacks, pinned, learned, ...rules }) => ({
    ...{ mode, fallbacks, pinned: pinned ?? null, learned },
    /** What a comparison of agents needs, and how often it may decide. */
    learnedRules: {
      samplesMin: rules.learned_samples_min,
      days: rules.learned_days,
      deviationMax: rules.learned_deviation_max,
    },
  }));

export const Recovery = z
  .strictObject(
    {
      preset: z
        .enum(RECOVERY_PRESETS, { error: `one of ${RECOVERY_PRESETS.join(', ')}` })
        .prefault('fallback-first')
        .describe('The recovery policy after a failure. Default: fallback-first.'),
      retries_per_agent: whole(0, 100)
        .optional()
        .describe(
          "How often an agent retries before the next agent takes over. Default: the preset's.",
        ),
      attempts_max: whole(1, 1000)
        .optional()
        .describe("The maximum number of attempts of one run. Default: the preset's."),
      cooldown_s: whole(1, YEAR_S)
        .prefault(3600)
        .describe(
          'The cooldown in seconds of an agent after a limit without a reset time. Default: 3600.',
        ),
      limit_patience_s: whole(0, 600)
        .prefault(60)
        .describe(
          'The longest limit in seconds that Supervisor waits out inside a model call. The agent sees a slow answer. Default: 60.',
        ),
      wait_for_reset: z
        .boolean({ error: 'true or false' })
        .prefault(true)
        .describe('Whether a run waits if only limits block it. Default: true.'),
      wait_max_s: whole(1, YEAR_S)
        .prefault(43_200)
        .describe(
          'How long a run may wait for limits between two attempts that work, in seconds. Default: 43200, twelve hours.',
        ),
      ask: z
        .boolean({ error: 'true or false' })
        .prefault(true)
        .describe(
          'Whether a run asks you if only you can decide: about a budget, a price, a key, a gate with on_fail: ask, or a question of its agent. false: it ends instead. Default: true.',
        ),
    },
    KEYS,
  )
  .transform((recovery) => ({
    preset: recovery.preset,
    /** Null: the value of the preset. */
    retriesPerAgent: recovery.retries_per_agent ?? null,
    attemptsMax: recovery.attempts_max ?? null,
    cooldownMs: recovery.cooldown_s * 1000,
    limitPatienceMs: recovery.limit_patience_s * 1000,
    waitForReset: recovery.wait_for_reset,
    waitMaxMs: recovery.wait_max_s * 1000,
    ask: recovery.ask,
  }));

export const Capacity = z
  .strictObject(
    {
      runs_max: whole(1, 1000)
        .prefault(4)
        .describe('How many runs of one project can have an agent at work at once. Default: 4.'),
      per_agent_max: whole(1, 1000)
        .prefault(2)
        .describe('How many runs can have the same agent at work at once. Default: 2.'),
    },
    KEYS,
  )
  .transform((capacity) => ({
    runsMax: capacity.runs_max,
    perAgentMax: capacity.per_agent_max,
  }));
