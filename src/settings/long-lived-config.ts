/** What a person may write of an agent that lives long, besides its name and its assignment. */
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
    what: text(1, 500, 'text of 1 to 500 characters').describe('What is promised; required.'),
    command: z
      .array(word, { error: 'a list of 1 to 100 texts, the program first' })
      .min(1, { error: 'a list of 1 to 100 texts, the program first' })
      .max(100, { error: 'a list of 1 to 100 texts, the program first' })
      .describe('What proves it: a command that exits with 0, run in a sandbox; required.'),
  },
  KEYS,
);

export const queueEntry = (userDir: string) =>
  z
    .strictObject(
      {
        dir: projectPath(userDir).describe(
          'The folder with one file a task; ./ is the project; required.',
        ),
        on_empty: z
          .enum(['idle', 'hibernate', 'terminate'], { error: 'one of idle, hibernate, terminate' })
          .prefault('idle')
          .describe(
            'What happens when it is empty: look again, wait for a message, or end. Default: idle.',
          ),
      },
      KEYS,
    )
    .transform(({ dir, on_empty: onEmpty }) => ({ dir, onEmpty }));

/** Null: as its parent or its project has it. */
export const agentSandbox = (userDir: string) =>
  z
    .strictObject(
      {
        mounts: z
          .array(mountEntry(userDir), { error: 'a list of mounts' })
          .max(50, { error: 'a list of up to 50 mounts' })
          .optional()
          .describe("What it sees besides the project. Default: the project's mounts."),
        toolchains: z
          .array(machinePath(userDir), { error: 'a list of paths' })
          .max(20, { error: 'a list of up to 20 paths' })
          .optional()
          .describe("Folders with programs that it sees. Default: the project's."),
        network: Hosts.optional().describe("Hosts that it reaches. Default: the project's."),
        memory: size('64MB', '999GB').optional().describe("Its memory. Default: the project's."),
        cpus: amount(0.1, 1000).optional().describe("Its processors. Default: the project's."),
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

/** Null: as its kind has it. */
export const RestartRule = z
  .strictObject(
    {
      type: z
        .enum(['permanent', 'transient', 'temporary'], {
          error: 'one of permanent, transient, temporary',
        })
        .optional()
        .describe("Whether it is restarted: always, after a failure, never. Default: its kind's."),
      restarts: whole(0, 10_000).optional().describe("How often in `within`. Default: its kind's."),
      within: duration('1s', '365d').optional().describe("The window. Default: its kind's."),
      backoff_base: duration('0s', '1d')
        .optional()
        .describe("The wait before the first restart, doubled each time. Default: its kind's."),
      backoff_max: duration('0s', '30d').optional().describe("The longest. Default: its kind's."),
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
      after: duration('1s', '30d').describe('How long without a call and a change; required.'),
      action: z
        .enum(['prod', 'reap'], { error: 'prod or reap' })
        .prefault('prod')
        .describe('What then: it is asked to go on, or ended. Default: prod.'),
    },
    KEYS,
  )
  .transform(({ after, action }) => ({ afterMs: after, action }));

export const HealthRule = z
  .strictObject(
    {
      spin_calls: whole(2, 1000)
        .prefault(10)
        .describe('So many identical calls with nothing new are spinning. Default: 10.'),
      on_spin: z
        .enum(['none', 'notify', 'steer', 'pause', 'restart', 'reap'], {
          error: 'one of none, notify, steer, pause, restart, reap',
        })
        .prefault('notify')
        .describe('What is done about spinning. Default: notify.'),
      inactivity: Inactivity.optional().describe('When doing nothing is too long. Default: never.'),
    },
    KEYS,
  )
  .transform(({ spin_calls: spinCalls, on_spin: onSpin, inactivity }) => ({
    spinCalls,
    onSpin,
    inactivity: inactivity ?? null,
  }));

const conditions = (userDir: string) => ({
  outside: folders(userDir).optional().describe('A write outside of these folders.'),
  self_modification: folders(userDir)
    .optional()
    .describe('A write to what sets its limits, in these folders.'),
  over_budget: amount(0, 1_000_000).optional().describe('More US dollars spent than this.'),
  children_max: whole(0, 10_000).optional().describe('More children than this.'),
  unknown_host: z
    .array(text(1, 253, 'a host'), { error: 'a list of hosts' })
    .max(100, { error: 'a list of up to 100 hosts' })
    .optional()
    .describe('A host that is none of these; *.example.com is every host below it.'),
  command: z
    .array(word, { error: 'a list of words' })
    .min(1, { error: 'a list of 1 to 20 words' })
    .max(20, { error: 'a list of 1 to 20 words' })
    .optional()
    .describe('A program that begins with these words.'),
});
type Condition = z.output<z.ZodObject<ReturnType<typeof conditions>>>;

const CONDITIONS = Object.keys(conditions('~'));

export const violationRule = (userDir: string) =>
  z
    .strictObject(
      {
        name: matching(/^[a-z][a-z0-9-]{0,62}$/, 'a name of small letters, digits and -').describe(
          'What it is called in every record; required.',
        ),
        action: z
          .enum(['log', 'notify', 'pause', 'reap', 'warn'], {
            error: 'one of log, notify, pause, reap, warn',
          })
          .prefault('notify')
          .describe('What is done about it. Default: notify.'),
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

/** The schema has seen to it that there is exactly one. */
function toCondition(rule: Condition): AgentRule['when'] {
  if (rule.outside !== undefined) return { kind: 'outside', folders: rule.outside };
  if (rule.self_modification !== undefined)
    return { kind: 'self-modification', folders: rule.self_modification };
  if (rule.over_budget !== undefined) return { kind: 'over-budget', usd: rule.over_budget };
  if (rule.children_max !== undefined) return { kind: 'too-many-children', max: rule.children_max };
  if (rule.unknown_host !== undefined) return { kind: 'unknown-host', hosts: rule.unknown_host };
  return { kind: 'command', words: rule.command ?? [] };
}

const kept = z.enum(['keep', 'discard'], { error: 'keep or discard' });

export const WorkspaceRule = z
  .strictObject(
    {
      crashed: kept.prefault('keep').describe('After a crash. Default: keep.'),
      over_budget: kept.prefault('keep').describe('When its budget is spent. Default: keep.'),
      wrong_changeset: kept
        .prefault('discard')
        .describe('When its work was wrong. Default: discard.'),
      spinning: kept.prefault('discard').describe('When it went in circles. Default: discard.'),
      gang: kept.prefault('keep').describe('When its siblings failed too. Default: keep.'),
      asks_to_abort: kept.prefault('keep').describe('When it asks to be let go. Default: keep.'),
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
      background: flag.prefault(false).describe('Nobody waits for it. Default: false.'),
      perseverance: flag
        .prefault(false)
        .describe('It may wait for a person and for nothing else. Default: false.'),
      user_present: flag.prefault(false).describe('A person is there. Default: false.'),
    },
    KEYS,
  )
  .transform(({ user_present: userPresent, ...flags }) => ({ ...flags, userPresent }));
