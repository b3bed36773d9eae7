/**
 * What the program reads of its configuration: complete, frozen, one unit a field, and plain JSON,
 * since a run's settings are pinned into its stream.
 */
import { z } from 'zod';
import { parseAgentId } from '../base/ids.ts';
import type { AgentId } from '../base/ids.ts';
import { AGENT_CLIS } from './agent-config.ts';
import { SERVER_TOOLS } from './gateway-config.ts';
import { RECOVERY_PRESETS, SELECTION_MODES } from './recovery-config.ts';
import { SANDBOX_BACKENDS } from './sandbox-config.ts';
import { FAILURE_REASONS } from '../protocol/failure-reason.ts';
import { TreeSettings } from './tree-settings.ts';

const count = z.int().nonnegative();

export const AgentSettings = z
  .strictObject({
    id: z.custom<AgentId>((id) => typeof id === 'string' && parseAgentId(id) !== undefined),
    cli: z.enum(AGENT_CLIS),
    args: z.array(z.string()).readonly(),
    model: z.string().nullable(),
    configDir: z.string().nullable(),
    env: z.record(z.string(), z.string()).readonly(),
    /** A project defines it or adds to its arguments: it never runs without a sandbox. */
    fromProject: z.literal(true).exactOptional(),
    command: z.array(z.string()).readonly().nullable().default(null),
    resumeCommand: z.array(z.string()).readonly().exactOptional(),
    /** By their path in the agent's home. */
    files: z.record(z.string(), z.string()).readonly().exactOptional(),
    output: z
      .strictObject({
        format: z.enum(['text', 'json', 'jsonl']),
        result: z.string().nullable(),
        usage: z.string().nullable(),
        session: z.string().nullable(),
        error: z.string().nullable(),
        usageFields: z
          .strictObject({
            input: z.string().exactOptional(),
            output: z.string().exactOptional(),
            cached: z.string().exactOptional(),
            cost: z.string().exactOptional(),
          })
          .readonly()
          .exactOptional(),
        sessionLine: z.string().exactOptional(),
      })
      .readonly()
      .nullable()
      .default(null),
  })
  .readonly();
export type AgentSettings = z.infer<typeof AgentSettings>;

/** A file of the user, by its path; or a file of the project, by its text as it was when the settings were read. */
const PreflightScript = z.union([
  z.string(),
  z.strictObject({ name: z.string(), text: z.string() }).readonly(),
]);
export type PreflightScript = z.infer<typeof PreflightScript>;

const SandboxSettings = z
  .strictObject({
    backend: z.enum(SANDBOX_BACKENDS),
    image: z.string().nullable(),
    pull: z.enum(['never', 'missing', 'always']),
    memoryBytes: count,
    cpus: z.number().positive(),
    pids: count,
    diskBytes: count,
    tmpBytes: count,
    mounts: z
      .array(
        z.strictObject({ from: z.string(), to: z.string(), mode: z.enum(['ro', 'rw']) }).readonly(),
      )
      .readonly(),
    preflight: z.array(PreflightScript).readonly(),
    /** `host:port`, each in one way of writing it. */
    hosts: z.array(z.string()).readonly().prefault([]),
    grants: z
      .strictObject({
        toolchains: z.array(z.string()).readonly(),
        files: z.array(z.string()).readonly(),
        gitIdentity: z.strictObject({ name: z.string(), email: z.string() }).readonly().nullable(),
      })
      .readonly()
      .prefault({ toolchains: [], files: [], gitIdentity: null }),
  })
  .readonly();
const RuleSettings = z
  .strictObject({
    id: z.string(),
    cli: z.enum(AGENT_CLIS).nullable(),
    reason: z.enum(FAILURE_REASONS),
    pattern: z.string().nullable(),
    exitCodes: z.array(count).readonly(),
  })
  .readonly();
export type RuleSettings = z.infer<typeof RuleSettings>;

const amount = z.number().nonnegative();

const CapsSettings = z
  .strictObject({
    tokens: count.nullable().prefault(null),
    usd: amount.nullable().prefault(null),
    calls: count.nullable().prefault(null),
    wallMs: count.nullable().prefault(null),
  })
  .readonly();

const GatewaySettings = z
  .strictObject({
    limitPatienceMs: count.prefault(60_000),
    outagePatienceMs: count.prefault(10_000),
    callsPerProject: count.prefault(10),
    silenceMs: count.prefault(180_000),
    requestBytesMax: count.prefault(32_000_000),
    recordBytesMax: count.prefault(64_000_000),
    privateHosts: z.array(z.string()).readonly().prefault([]),
    serverTools: z.array(z.enum(SERVER_TOOLS)).readonly().prefault([]),
    prices: z
      .array(
        z
          .strictObject({
            model: z.string(),
            input: amount,
            output: amount,
            cached: amount.exactOptional(),
            cacheWrite: amount.exactOptional(),
            outputMax: count.exactOptional(),
          })
          .readonly(),
      )
      .readonly()
      .prefault([]),
  })
  .readonly();

const GateSettings = z
  .strictObject({
    name: z.string(),
    command: z.array(z.string()).readonly(),
    timeoutMs: count,
    /** A red one is said and fails nothing, so that a green one proves nothing either. */
    warns: z.boolean().exactOptional(),
    /** A red one ends the run as blocked: no agent tries again. */
    blocks: z.boolean().exactOptional(),
    /** It counts as proof even where files of the work may decide how it judges. */
    acceptsUnprotected: z.boolean().exactOptional(),
    /** Tests are judged as the work has them. */
    testsMayChange: z.boolean().exactOptional(),
    /** False: its exit code alone decides, and its tests are not counted. */
    count: z.boolean().exactOptional(),
  })
  .readonly();

/** Parsing freezes. A field that is added later needs a default here: older runs have pinned settings without it. */
export const SettingsSchema = z
  .strictObject({
    version: z.literal(1),
    agents: z.array(AgentSettings).readonly(),
    defaultAgent: z.string().nullable(),
    limits: z
      .strictObject({
        attempts: count,
        startsPerMinute: count.nullable(),
        diskFreeBytes: count.prefault(500_000_000),
      })
      .readonly(),
    attempt: z
      .strictObject({
        graceMs: count,
        deadlineMs: count.nullable(),
        lostMax: count,
        outputBytesMax: count,
      })
      .readonly(),
    selection: z
      .strictObject({
        mode: z.enum(SELECTION_MODES),
        fallbacks: z.record(z.string(), z.string()).readonly(),
        pinned: z.string().nullable(),
      })
      .readonly()
      .prefault({ mode: 'fallback', fallbacks: {}, pinned: null }),
    recovery: z
      .strictObject({
        preset: z.enum(RECOVERY_PRESETS),
        /** Null: the preset's; the same for the next one. */
        retriesPerAgent: count.nullable(),
        attemptsMax: count.nullable(),
        cooldownMs: count,
        waitForReset: z.boolean(),
        waitMaxMs: count,
      })
      .readonly()
      .prefault({
        preset: 'fallback-first',
        retriesPerAgent: null,
        attemptsMax: null,
        cooldownMs: 3_600_000,
        waitForReset: true,
        waitMaxMs: 43_200_000,
      }),
    capacity: z
      .strictObject({ runsMax: count, perAgentMax: count })
      .readonly()
      .prefault({ runsMax: 4, perAgentMax: 2 }),
    gates: z.array(GateSettings).readonly().prefault([]),
    setup: z
      .strictObject({
        command: z.array(z.string()).readonly(),
        inputs: z.array(z.string()).readonly(),
        network: z.array(z.string()).readonly(),
        timeoutMs: count,
      })
      .readonly()
      .nullable()
      .prefault(null),
    gateway: GatewaySettings.prefault({}),
    budget: z
      .strictObject({
        run: CapsSettings.prefault({}),
        project: CapsSettings.prefault({}),
        tree: CapsSettings.prefault({}),
      })
      .readonly()
      .prefault({}),
    sandbox: SandboxSettings.prefault({
      backend: 'auto',
      image: null,
      pull: 'missing',
      memoryBytes: 4_000_000_000,
      cpus: 2,
      pids: 512,
      diskBytes: 10_000_000_000,
      tmpBytes: 500_000_000,
      mounts: [],
      preflight: [],
      hosts: [],
      grants: { toolchains: [], files: [], gitIdentity: null },
    }),
    classify: z
      .strictObject({ rules: z.array(RuleSettings).readonly() })
      .readonly()
      .default({ rules: [] }),
    owner: z
      .strictObject({ idleExitMs: count, clearOrphansAfterMs: count.nullable().default(null) })
      .readonly(),
    tree: TreeSettings.prefault({ places: [], agents: [], depthMax: 4, childrenMax: 100 }),
  })
  .readonly();
export type Settings = z.infer<typeof SettingsSchema>;

/** The agent of that name: one of the user's, else the plain one that each CLI but `custom` has. */
export function findAgent(settings: Settings, id: string): AgentSettings | undefined {
  const own = settings.agents.find((agent) => agent.id === id);
  if (own !== undefined || id === 'custom') return own;
  const cli = AGENT_CLIS.find((name) => name === id);
  if (cli === undefined) return undefined;
  return {
    id: cli as string as AgentId,
    cli,
    args: [],
    model: null,
    configDir: null,
    env: {},
    command: null,
    output: null,
  };
}
