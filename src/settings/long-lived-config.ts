/** Schema of the sections of a long-lived agent: queue, sandbox, restart, health, violations, workspace, flags. */
import { z } from 'zod';
import type { AgentRule } from '../protocol/agent-rules.ts';
import {
  amount,
  duration,
  KEYS,
  machinePath,
  matching,
  projectPath,
  size,
  text,
  whole,
} from './schema-fields.ts';
import { Hosts, mountEntry } from './sandbox-config.ts';

const word = text(0, 8192, 'text of up to 8192 characters (quote it if it looks like a number)');
const folders = (userDir: string) =>
  z
    .array(projectPath(userDir), { error: 'a list of paths' })
    .min(1, { error: 'a list of 1 to 50 paths' })
    .max(50, { error: 'a list of 1 to 50 paths' });
const flag = z.boolean({ error: 'true or false' });

export const CommitmentEntry = z.strictObject(
  {
    what: text(1, 500, 'text of 1 to 500 characters').describe('The promise in words; required.'),
    command: z
      .array(word, { error: 'a list of 1 to 100 texts that starts with the program' })
      .min(1, { error: 'a list of 1 to 100 texts that starts with the program' })
      .max(100, { error: 'a list of 1 to 100 texts that starts with the program' })
      .describe('The command that proves it by exiting with 0, run in a sandbox; required.'),
  },
  KEYS,
);

export const queueEntry = (userDir: string) =>
  z
    .strictObject(
      {
        dir: projectPath(userDir).describe(
          'The folder with one file per task. ./ is the project; required.',
        ),
        on_empty: z
          .enum(['idle', 'hibernate', 'terminate'], { error: 'one of idle, hibernate, terminate' })
          .prefault('idle')
          .describe(
            'What the agent does if the queue is empty: check again (idle), wait for a message (hibernate), or end (terminate). Default: idle.',
          ),
      },
      KEYS,
    )
    .transform(({ dir, on_empty: onEmpty }) => ({ dir, onEmpty }));

/** Null: the value of its parent or its project. */
export const agentSandbox = (userDir: string) =>
  z
    .strictObject(
      {
        mounts: z
          .array(mountEntry(userDir), { error: 'a list of mounts' })
          .max(50, { error: 'a list of up to 50 mounts' })
          .optional()
          .describe(
            "Folders and files that it sees in addition to the project. Default: the project's mounts.",
          ),
        toolchains: z
          .array(machinePath(userDir), { error: 'a list of paths' })
          .max(20, { error: 'a list of up to 20 paths' })
          .optional()
          .describe("Folders with programs that it can use. Default: the project's."),
        network: Hosts.optional().describe("Hosts that it can reach. Default: the project's."),
        memory: size('64MB', '999GB').optional().describe("Its memory. Default: the project's."),
        cpus: amount(0.1, 1000).optional().describe("Its CPUs. Default: the project's."),
        pids: whole(16, 100_000).optional().describe("Its processes. Default: the project's."),
      },
      KEYS,
    )
    .transform(({ mounts, toolchains, network, memory, cpus, pids }) => ({
      mounts: mounts ?? null,
      toolchains: toolchains ?? null,
      hosts: network ?? null,
      memoryBytes: memory ?? null,
      cpus: cpus ?? null,
      pids: pids ?? null,
    }));

/** Null: the value of its kind. */
export const RestartRule = z
  .strictObject(
    {
      type: z
        .enum(['permanent', 'transient', 'temporary'], {
          error: 'one of permanent, transient, temporary',
        })
        .optional()
        .describe(
          "When it is restarted: always (permanent), after a failure (transient), never (temporary). Default: its kind's.",
        ),
      restarts: whole(0, 10_000)
        .optional()
        .describe("How many restarts are allowed in `within`. Default: its kind's."),
      within: duration('1s', '365d')
        .optional()
        .describe("The time window of `restarts`. Default: its kind's."),
      backoff_base: duration('0s', '1d')
        .optional()
        .describe("The delay before the first restart. It doubles each time. Default: its kind's."),
      backoff_max: duration('0s', '30d')
        .optional()
        .describe("The longest delay. Default: its kind's."),
    },
    KEYS,
  )
  .transform((restart) => ({
    type: restart.type ?? null,
    restartsMax: restart.restarts ?? null,
    withinMs: restart.within ?? null,
    backoffBaseMs: restart.backoff_base ?? null,
    backoffMaxMs: restart.backoff_max ?? null,
  }));

const Inactivity = z
  .strictObject(
    {
      after: duration('1s', '30d').describe(
        'How long the agent makes no call and no change; required.',
      ),
      action: z
        .enum(['prod', 'reap'], { error: 'prod or reap' })
        .prefault('prod')
        .describe('prod asks the agent to continue, reap ends it. Default: prod.'),
    },
    KEYS,
  )
  .transform(({ after, action }) => ({ afterMs: after, action }));

export const HealthRule = z
  .strictObject(
    {
      spin_calls: whole(2, 1000)
        .prefault(10)
        .describe(
          'The agent is spinning after this many identical calls without a new result. Default: 10.',
        ),
      on_spin: z
        .enum(['none', 'notify', 'steer', 'pause', 'restart', 'reap'], {
          error: 'one of none, notify, steer, pause, restart, reap',
        })
        .prefault('notify')
        .describe('What happens to a spinning agent. Default: notify.'),
      inactivity: Inactivity.optional().describe(
        'What happens to an inactive agent. Default: nothing.',
      ),
    },
    KEYS,
  )
  .transform(({ spin_calls: spinCalls, on_spin: onSpin, inactivity }) => ({
    spinCalls,
    onSpin,
    inactivity: inactivity ?? null,
  }));

const conditions = (userDir: string) => ({
  outside: folders(userDir).optional().describe('The agent writes outside these folders.'),
  self_modification: folders(userDir)
    .optional()
    .describe('The agent writes to files that define its limits, in these folders.'),
  over_budget: amount(0, 1_000_000)
    .optional()
    .describe('The agent spends more US dollars than this.'),
  children_max: whole(0, 10_000).optional().describe('The agent has more children than this.'),
  unknown_host: z
    .array(text(1, 253, 'a host'), { error: 'a list of hosts' })
    .max(100, { error: 'a list of up to 100 hosts' })
    .optional()
    .describe(
      'The agent connects to a host that is not in this list. *.example.com matches every subdomain.',
    ),
  command: z
    .array(word, { error: 'a list of words' })
    .min(1, { error: 'a list of 1 to 20 words' })
    .max(20, { error: 'a list of 1 to 20 words' })
    .optional()
    .describe('The agent runs a command that starts with these words.'),
});
type Condition = z.output<z.ZodObject<ReturnType<typeof conditions>>>;

const CONDITIONS = Object.keys(conditions('~'));

export const violationRule = (userDir: string) =>
  z
    .strictObject(
      {
        name: matching(
          /^[a-z][a-z0-9-]{0,62}$/,
          'a name of lowercase letters, digits and -',
        ).describe('The name of the rule in records and messages; required.'),
        action: z
          .enum(['log', 'notify', 'pause', 'reap', 'warn'], {
            error: 'one of log, notify, pause, reap, warn',
          })
          .prefault('notify')
          .describe('What happens if the rule matches. Default: notify.'),
        ...conditions(userDir),
      },
      KEYS,
    )
    .refine((rule) => CONDITIONS.filter((key) => key in rule).length === 1, {
      error: `exactly one of ${CONDITIONS.join(', ')}`,
    })
    .transform(({ name, action, ...condition }) => ({
      name,
      action,
      when: toCondition(condition),
    }));

/** The refinement above allows exactly one condition. */
function toCondition(rule: Condition): AgentRule['when'] {
  if (rule.outside !== undefined) return { kind: 'outside', folders: rule.outside };
  if (rule.self_modification !== undefined)
    return { kind: 'self-modification', folders: rule.self_modification };
  if (rule.over_budget !== undefined) return { kind: 'over-budget', usd: rule.over_budget };
  if (rule.children_max !== undefined) return { kind: 'too-many-children', max: rule.children_max };
  if (rule.unknown_host !== undefined) return { kind: 'unknown-host', hosts: rule.unknown_host };
  return { kind: 'command', words: rule.command ?? [] };
}

const disposal = z.enum(['keep', 'discard'], { error: 'keep or discard' });

export const WorkspaceRule = z
  .strictObject(
    {
      crashed: disposal.prefault('keep').describe('After a crash. Default: keep.'),
      over_budget: disposal.prefault('keep').describe('When its budget is used up. Default: keep.'),
      wrong_changeset: disposal
        .prefault('discard')
        .describe('When its work was wrong. Default: discard.'),
      spinning: disposal.prefault('discard').describe('When it is spinning. Default: discard.'),
      gang: disposal.prefault('keep').describe('When several siblings failed. Default: keep.'),
      asks_to_abort: disposal
        .prefault('keep')
        .describe('When it asks to be dismissed. Default: keep.'),
    },
    KEYS,
  )
  .transform((workspace) => ({
    'over-budget': workspace.over_budget,
    'wrong-changeset': workspace.wrong_changeset,
    spinning: workspace.spinning,
    gang: workspace.gang,
    'asks-to-abort': workspace.asks_to_abort,
    crashed: workspace.crashed,
  }));

export const AgentFlagsConfig = z
  .strictObject(
    {
      perseverance: flag
        .prefault(false)
        .describe('It must not be idle: it may wait only for a person. Default: false.'),
      user_present: flag.prefault(false).describe('A person is present. Default: false.'),
    },
    KEYS,
  )
  .transform(({ user_present: userPresent, ...flags }) => ({ ...flags, userPresent }));
