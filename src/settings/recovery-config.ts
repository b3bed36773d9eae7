/** What a person may write of which agent works, what follows a failure, and how much goes on at once. */
import { z } from 'zod';
import { agentId } from './agent-config.ts';
import { KEYS, whole } from './schema-fields.ts';

export const SELECTION_MODES = ['fallback', 'round-robin', 'least-used', 'pinned'] as const;
export const RECOVERY_PRESETS = [
  'fallback-first',
  'retry-then-fallback',
  'step-feedback',
  'supervised-restart',
] as const;

const AGENTS_MAX = 100;
const YEAR_S = 31_536_000;

export const Selection = z
  .strictObject(
    {
      mode: z
        .enum(SELECTION_MODES, { error: `one of ${SELECTION_MODES.join(', ')}` })
        .prefault('fallback')
        .describe(
          'Who begins a run that names no agent: the first one, the next one in turn, the one that has worked least, or the pinned one. Default: fallback, the first.',
        ),
      fallbacks: z
        .record(agentId, agentId, KEYS)
        .refine((map) => Object.keys(map).length <= AGENTS_MAX, {
          error: `up to ${AGENTS_MAX} agents with their fallbacks`,
        })
        .prefault({})
        .describe('Which agent follows which. Default: the order of agents.'),
      pinned: agentId
        .optional()
        .describe('The agent that begins every run with mode pinned. Default: none.'),
    },
    KEYS,
  )
  .transform(({ pinned, ...selection }) => ({ ...selection, pinned: pinned ?? null }));

export const Recovery = z
  .strictObject(
    {
      preset: z
        .enum(RECOVERY_PRESETS, { error: `one of ${RECOVERY_PRESETS.join(', ')}` })
        .prefault('fallback-first')
        .describe('What follows a failure, in one word. Default: fallback-first.'),
      retries_per_agent: whole(0, 100)
        .optional()
        .describe(
          "How often one agent tries again before the next one does. Default: the preset's.",
        ),
      attempts_max: whole(1, 1000)
        .optional()
        .describe("How many attempts one run has in all. Default: the preset's."),
      cooldown_s: whole(1, YEAR_S)
        .prefault(3600)
        .describe('How long an agent rests after a limit that names no end. Default: 3600.'),
      limit_patience_s: whole(0, 600)
        .prefault(60)
        .describe(
          'The longest wait for a limit that a call is held for, so that its agent sees only a slow answer. Default: 60.',
        ),
      wait_for_reset: z
        .boolean({ error: 'true or false' })
        .prefault(true)
        .describe('Whether a run waits when nothing but limits keeps it. Default: true.'),
      wait_max_s: whole(1, YEAR_S)
        .prefault(43_200)
        .describe('The longest such wait. Default: 43200, twelve hours.'),
    },
    KEYS,
  )
  .transform((recovery) => ({
    preset: recovery.preset,
    /** Null: the preset's; the same for the next one. */
    retriesPerAgent: recovery.retries_per_agent ?? null,
    attemptsMax: recovery.attempts_max ?? null,
    cooldownMs: recovery.cooldown_s * 1000,
    limitPatienceMs: recovery.limit_patience_s * 1000,
    waitForReset: recovery.wait_for_reset,
    waitMaxMs: recovery.wait_max_s * 1000,
  }));

export const Capacity = z
  .strictObject(
    {
      runs_max: whole(1, 1000)
        .prefault(4)
        .describe('How many runs of one project have an agent at work at once. Default: 4.'),
      per_agent_max: whole(1, 1000)
        .prefault(2)
        .describe('How many runs have the same agent at work at once. Default: 2.'),
    },
    KEYS,
  )
  .transform((capacity) => ({
    runsMax: capacity.runs_max,
    perAgentMax: capacity.per_agent_max,
  }));
