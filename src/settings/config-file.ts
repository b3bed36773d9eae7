/**
 * Schema of a configuration file. Every key is optional. Each section turns its written form into the
 * form that the program reads. Editors get the descriptions and defaults from here.
 */
import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import { agentEntry, agentId, Classify } from './agent-config.ts';
import { Gate } from './gate-config.ts';
import { Budget, Gateway } from './gateway-config.ts';
import { duration, KEYS, size, whole } from './schema-fields.ts';
import { Capacity, Recovery, Selection } from './recovery-config.ts';
import { sandboxSection } from './sandbox-config.ts';
import { Setup } from './setup-config.ts';
import { treeSection } from './tree-config.ts';
import { Notifications } from './notification-config.ts';
import { Approvals } from './approval-config.ts';
import { Git } from './git-config.ts';
import { Steering } from './steering-config.ts';
import { ChosenWorkflow } from './workflow-file.ts';

const Limits = z
  .strictObject(
    {
      attempts: whole(1, 1000)
        .prefault(10)
        .describe('How many attempts can run at once, over all projects. Default: 10.'),
      starts_per_minute: whole(1, 10_000)
        .optional()
        .describe('How many attempts can start per minute, over all projects. Default: no limit.'),
      disk_free: size('0B', '999GB')
        .prefault('500MB')
        .describe(
          'No new run starts if the disk with the state has less free space than this. Default: 500MB.',
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
        .describe('How long an attempt has to exit cleanly before it is killed. Default: 10s.'),
      deadline: duration('1s', '30d')
        .optional()
        .describe(
          'How long one attempt may take before it is asked to exit. Default: no deadline.',
        ),
      interruptions_max: whole(0, 100)
        .prefault(3)
        .describe('How many times an attempt starts again after the owner ended. Default: 3.'),
      output_max: size('64kB', '1GB')
        .prefault('10MB')
        .describe(
          "How much of one attempt's output is stored: the beginning and the end. Default: 10MB.",
        ),
    },
    KEYS,
  )
  .transform((attempt) => ({
    graceMs: attempt.grace,
    deadlineMs: attempt.deadline ?? null,
    interruptionsMax: attempt.interruptions_max,
    outputBytesMax: attempt.output_max,
  }));

const Owner = z
  .strictObject(
    {
      idle_exit: duration('1s', '365d')
        .prefault('10m')
        .describe('How long the owner stays up without work before it exits. Default: 10m.'),
      clear_orphans_after: duration('1h', '3650d')
        .optional()
        .describe(
          'The output of runs that are not in the journal is deleted after this time. Default: never.',
        ),
    },
    KEYS,
  )
  .transform((owner) => ({
    idleExitMs: owner.idle_exit,
    clearOrphansAfterMs: owner.clear_orphans_after ?? null,
  }));

/** One configuration file without notes (`x-*`) and nulls. `~` stands for `userDir`. */
export const configFile = (userDir: string) =>
  z
    .strictObject(
      {
        version: z
          .literal(1, { error: '1, the only version that this version of Supervisor reads' })
          .prefault(1)
          .describe('The version of this format. Default: 1.'),
        agents: z
          .array(agentEntry(userDir), { error: 'a list of agents' })
          .max(100, { error: 'a list of up to 100 agents' })
          .prefault([])
          .describe('Your own agents, in addition to one built-in agent per CLI. Default: none.'),
        default_agent: agentId
          .optional()
          .describe('The agent of a run that names none. Default: none.'),
        selection: Selection.prefault({}).describe(
          'Which agent starts a run, and which agent follows it.',
        ),
        recovery: Recovery.prefault({}).describe('What happens after a failure.'),
        capacity: Capacity.prefault({}).describe(
          'How many runs can have an agent at work at once.',
        ),
        limits: Limits.prefault({}).describe('Limits over all projects.'),
        attempt: Attempt.prefault({}).describe('Time and output limits of one attempt.'),
        gates: z
          .array(Gate, { error: 'a list of gates, such as [{name: test, command: [npm, test]}]' })
          .max(50, { error: 'a list of up to 50 gates' })
          .prefault([])
          .describe('Checks that verify the work of a run. Default: none, runs end unverified.'),
        baseline: z
          .boolean({ error: 'true or false' })
          .prefault(true)
          .describe(
            'Whether every gate runs once on the base before the first attempt of a run. Default: true.',
          ),
        setup: Setup.optional().describe(
          'A command that prepares a fresh copy of the project, such as npm ci. Default: none.',
        ),
        require_setup: z
          .boolean({ error: 'true or false' })
          .prefault(true)
          .describe(
            'Whether a run is refused if its gates seem to need dependencies and there is no setup. Default: true.',
          ),
        sandbox: sandboxSection(userDir).prefault({}).describe('What an agent can see and use.'),
        classify: Classify.prefault({}).describe('How the end of an attempt is classified.'),
        gateway: Gateway.prefault({}).describe('How model calls are forwarded.'),
        budget: Budget.prefault({}).describe(
          'What a run may spend before it pauses and asks. Default: no caps.',
        ),
        steering: Steering.prefault({}).describe(
          'How the turns of an agent are watched, and whether it is told what is found.',
        ),
        owner: Owner.prefault({}).describe('The background process that owns the state.'),
        approvals: Approvals.prefault({}).describe(
          'How risky a change is, and who must approve it in a workflow.',
        ),
        notifications: Notifications.prefault({}).describe(
          'Who hears of events of all runs, besides the address that a run names.',
        ),
        git: Git.prefault({}).describe('The branch and the commit at the end of a workflow.'),
        workflow: ChosenWorkflow.optional().describe(
          'The workflow of this project, and what differs in it. Default: none.',
        ),
        tree: treeSection(userDir)
          .prefault({})
          .describe('Long-lived agents, and the supervisors that restart them.'),
      },
      KEYS,
    )
    .transform((written) => {
      const { default_agent: defaultAgent, require_setup: requireSetup, ...others } = written;
      // A workflow is read from its tree, whose places its problems need.
      const { setup, recovery, gateway, workflow: _, ...sections } = others;
      const { limitPatienceMs, ...rest } = recovery;
      return {
        ...sections,
        defaultAgent: defaultAgent ?? null,
        setup: setup ?? null,
        requireSetup,
        recovery: rest,
        gateway: { limitPatienceMs, ...gateway },
      };
    });

/** Checks files. `~` is not expanded. */
export const ConfigFile = configFile('~');
/** The values of a valid file, as written. */
export type WrittenConfig = z.input<typeof ConfigFile>;

/** `ConfigFile` as JSON Schema, with its descriptions and defaults. */
export function configFileJsonSchema(): JsonSchema {
  return z.toJSONSchema(ConfigFile, { io: 'input' }) as JsonSchema;
}

/** Reads one value alone, such as the `5m` of `attempt.grace`. Undefined if it is invalid. */
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

/** The object or list inside the wrappers for defaults and transforms. */
function withoutDefault(schema: unknown): unknown {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional)
    return withoutDefault(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutDefault(schema.in) : schema;
}
