/**
 * What a person may write in a configuration file: every key optional, durations and sizes with
 * their unit. Descriptions and defaults reach editors and the guide from here.
 */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { agentEntry, agentId, Classify } from './agent-config.ts';
import { Gate, Setup } from './gate-config.ts';
import { Budget, Gateway } from './gateway-config.ts';
import { duration, KEYS, size, whole } from './schema-fields.ts';
import { Capacity, Recovery, Selection } from './recovery-config.ts';
import { sandboxSection } from './sandbox-config.ts';
import { treeSection } from './tree-config.ts';

const Limits = z
  .strictObject(
    {
      attempts: whole(1, 1000)
        .prefault(10)
        .describe('How many attempts run at once, over all projects. Default: 10.'),
      starts_per_minute: whole(1, 10_000)
        .optional()
        .describe('How many attempts may start in a minute, over all projects. Default: no limit.'),
      disk_free: size('0B', '999GB')
        .prefault('500MB')
        .describe(
          'With less than this free where the state is kept, no new run begins. Default: 500MB.',
        ),
    },
    KEYS,
  )
  .transform((limits) => ({
    attempts: limits.attempts,
    startsPerMinute: limits.starts_per_minute ?? null,
    diskFreeBytes: limits.disk_free,
  }));

const Attempt = z
  .strictObject(
    {
      grace: duration('0s', '10m')
        .prefault('10s')
        .describe(
          'How long an attempt that is asked to end has before it is killed. Default: 10s.',
        ),
      deadline: duration('1s', '30d')
        .optional()
        .describe('How long one attempt may take before it is asked to end. Default: no deadline.'),
      lost_max: whole(0, 100)
        .prefault(3)
        .describe(
          'How many times an attempt that was lost to a crash of Supervisor begins again. Default: 3.',
        ),
      output_max: size('64kB', '1GB')
        .prefault('10MB')
        .describe(
          "How much of one attempt's output is kept: its head and its tail. Default: 10MB.",
        ),
    },
    KEYS,
  )
  .transform((attempt) => ({
    graceMs: attempt.grace,
    deadlineMs: attempt.deadline ?? null,
    lostMax: attempt.lost_max,
    outputBytesMax: attempt.output_max,
  }));

const Owner = z
  .strictObject(
    {
      idle_exit: duration('1s', '365d')
        .prefault('10m')
        .describe(
          'How long the owner stays with nothing to do before it ends itself. Default: 10m.',
        ),
      clear_orphans_after: duration('1h', '3650d')
        .optional()
        .describe(
          'From which age on the output of runs that the journal does not know is deleted. Default: never.',
        ),
    },
    KEYS,
  )
  .transform((owner) => ({
    idleExitMs: owner.idle_exit,
    clearOrphansAfterMs: owner.clear_orphans_after ?? null,
  }));

/** `~` stands for `userDir`. One configuration file, after notes (`x-*`) and nulls have been taken out. */
export const configFile = (userDir: string) =>
  z
    .strictObject(
      {
        version: z
          .literal(1, { error: '1, the only version that this Supervisor reads' })
          .prefault(1)
          .describe('The version of this format. Default: 1.'),
        agents: z
          .array(agentEntry(userDir), { error: 'a list of agents' })
          .max(100, { error: 'a list of up to 100 agents' })
          .prefault([])
          .describe('Agents of your own, beside one built-in agent for each CLI. Default: none.'),
        default_agent: agentId
          .optional()
          .describe('The agent of a run that names none. Default: none, a run must name one.'),
        selection: Selection.prefault({}).describe('Which agent begins a run, and who follows it.'),
        recovery: Recovery.prefault({}).describe('What follows a failure.'),
        capacity: Capacity.prefault({}).describe('How many runs have an agent at work at once.'),
        limits: Limits.prefault({}).describe('How much may go on at once.'),
        attempt: Attempt.prefault({}).describe('What one attempt may use, and how it ends.'),
        gates: z
          .array(Gate, { error: 'a list of gates' })
          .max(50, { error: 'a list of up to 50 gates' })
          .prefault([])
          .describe(
            'What must pass before a run counts as done. Default: none, a run ends unverified.',
          ),
        setup: Setup.optional().describe(
          'What makes a fresh copy of the project ready to work in, such as npm ci. Default: nothing.',
        ),
        sandbox: sandboxSection(userDir).prefault({}).describe('What an agent may see and use.'),
        classify: Classify.prefault({}).describe('How the end of an attempt is understood.'),
        gateway: Gateway.prefault({}).describe('How model calls are passed on.'),
        budget: Budget.prefault({}).describe(
          'What may be spent before the run pauses and asks. Nothing is capped by default.',
        ),
        owner: Owner.prefault({}).describe('The background process that owns the state.'),
        tree: treeSection(userDir)
          .prefault({})
          .describe('Agents that live long, and who restarts them.'),
      },
      KEYS,
    )
    .transform(({ default_agent: defaultAgent, setup, recovery, gateway, ...sections }) => {
      const { limitPatienceMs, ...rest } = recovery;
      return {
        ...sections,
        defaultAgent: defaultAgent ?? null,
        setup: setup ?? null,
        recovery: rest,
        gateway: { limitPatienceMs, ...gateway },
      };
    });

/** Finds what is wrong with a file: `~` stands for itself. */
export const ConfigFile = configFile('~');
/** What stands in a file that fits. */
export type WrittenConfig = z.input<typeof ConfigFile>;

/** `ConfigFile` as JSON Schema, with its descriptions and defaults. */
export function configFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(ConfigFile, { io: 'input' }) as JsonSchema;
}

/** One value by itself, such as the `5m` of `attempt.grace`, as the program reads it; undefined if it does not fit. */
export function readSetting(path: readonly PropertyKey[], written: unknown): unknown {
  let at: unknown = ConfigFile;
  for (const step of path) {
    const inside = withoutDefault(at);
    at =
      inside instanceof z.ZodArray
        ? inside.element
        : inside instanceof z.ZodObject
          ? inside.shape[String(step)]
          : undefined;
  }
  return at instanceof z.ZodType ? at.safeParse(written).data : undefined;
}

/** The object or list below what makes it optional and what turns it into runtime units. */
function withoutDefault(schema: unknown): unknown {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return withoutDefault(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutDefault(schema.in) : schema;
}
