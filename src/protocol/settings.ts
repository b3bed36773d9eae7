/**
 * What the program reads of its configuration: complete, frozen, one unit a field, and plain JSON,
 * since a run's settings are pinned into its stream.
 */
import { z } from 'zod';
import { parseAgentId } from '../base/ids.ts';
import type { AgentId } from '../base/ids.ts';
import { AGENT_CLIS } from './agent-config.ts';
import { ConfigFile } from './config-file.ts';
import { SANDBOX_BACKENDS } from './sandbox-config.ts';
import { shellWords } from '../base/shell-words.ts';
import { FAILURE_REASONS } from './failure.ts';

const count = z.int().nonnegative();

export const AgentSettings = z
  .strictObject({
    id: z.custom<AgentId>((id) => typeof id === 'string' && parseAgentId(id) !== undefined),
    cli: z.enum(AGENT_CLIS),
    args: z.array(z.string()).readonly(),
    model: z.string().nullable(),
    configDir: z.string().nullable(),
    env: z.record(z.string(), z.string()).readonly(),
    command: z.array(z.string()).readonly().nullable().default(null),
    output: z
      .strictObject({
        format: z.enum(['text', 'json', 'jsonl']),
        result: z.string().nullable(),
        usage: z.string().nullable(),
        session: z.string().nullable(),
        error: z.string().nullable(),
      })
      .readonly()
      .nullable()
      .default(null),
  })
  .readonly();
export type AgentSettings = z.infer<typeof AgentSettings>;

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
    preflight: z.array(z.string()).readonly(),
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
    callsPerProject: count.prefault(10),
    firstByteMs: count.prefault(600_000),
    silenceMs: count.prefault(300_000),
    requestBytesMax: count.prefault(32_000_000),
    recordBytesMax: count.prefault(64_000_000),
    prices: z
      .array(
        z
          .strictObject({
            model: z.string(),
            input: amount,
            output: amount,
            cached: amount.exactOptional(),
            cacheWrite: amount.exactOptional(),
          })
          .readonly(),
      )
      .readonly()
      .prefault([]),
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
        attemptsPerProject: count,
        startsPerMinute: count.nullable(),
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
    gateway: GatewaySettings.prefault({}),
    budget: z
      .strictObject({
        run: CapsSettings.prefault({}),
        project: CapsSettings.prefault({}),
        tree: CapsSettings.prefault({}),
      })
      .readonly()
      .prefault({}),
    sandbox: SandboxSettings.default(() => sandboxSettings(ConfigFile.parse({}).sandbox, '~')),
    classify: z
      .strictObject({ rules: z.array(RuleSettings).readonly() })
      .readonly()
      .default({ rules: [] }),
    owner: z.strictObject({ idleExitMs: count }).readonly(),
  })
  .readonly();
export type Settings = z.infer<typeof SettingsSchema>;

/** `userDir` is what `~` stands for. */
export function toSettings(config: ConfigFile, userDir: string): Settings {
  const { limits, attempt, gateway, budget, owner } = config;
  return SettingsSchema.parse({
    version: config.version,
    agents: config.agents.map(({ config_dir: dir, model, flags, command, output, ...agent }) => ({
      ...agent,
      args: [...agent.args, ...(shellWords(flags ?? '') ?? [])],
      command: command ?? null,
      output:
        output === undefined
          ? null
          : {
              format: output.format,
              result: output.result ?? null,
              usage: output.usage ?? null,
              session: output.session ?? null,
              error: output.error ?? null,
            },
      model: model ?? null,
      configDir: dir === undefined ? null : atHome(dir, userDir),
    })),
    defaultAgent: config.default_agent ?? null,
    limits: {
      attempts: limits.attempts,
      attemptsPerProject: limits.attempts_per_project,
      startsPerMinute: limits.starts_per_minute ?? null,
    },
    attempt: {
      graceMs: attempt.grace,
      deadlineMs: attempt.deadline ?? null,
      lostMax: attempt.lost_max,
      outputBytesMax: attempt.output_max,
    },
    sandbox: sandboxSettings(config.sandbox, userDir),
    classify: {
      rules: config.classify.rules.map(({ cli, pattern, exit_codes: exitCodes, ...rule }) => ({
        ...rule,
        cli: cli ?? null,
        pattern: pattern ?? null,
        exitCodes,
      })),
    },
    gateway: {
      limitPatienceMs: gateway.limit_patience,
      callsPerProject: gateway.calls_per_project,
      firstByteMs: gateway.first_byte,
      silenceMs: gateway.silence,
      requestBytesMax: gateway.request_max,
      recordBytesMax: gateway.record_max,
      prices: gateway.prices.map(({ cache_write: cacheWrite, ...price }) => ({
        ...price,
        ...(cacheWrite !== undefined && { cacheWrite }),
      })),
    },
    budget: {
      run: capsOf(budget.run),
      project: capsOf(budget.project),
      tree: capsOf(budget.tree),
    },
    owner: { idleExitMs: owner.idle_exit },
  });
}

function sandboxSettings(
  sandbox: ConfigFile['sandbox'],
  userDir: string,
): z.infer<typeof SandboxSettings> {
  const { memory, disk, tmp, image, mounts, preflight, ...same } = sandbox;
  return {
    ...same,
    image: image ?? null,
    memoryBytes: memory,
    diskBytes: disk,
    tmpBytes: tmp,
    mounts: mounts.map(({ path, to, mode }) => {
      const from = atHome(path, userDir);
      return { from, to: to ?? from, mode };
    }),
    preflight: preflight.map((script) => atHome(script, userDir)),
  };
}

function atHome(path: string, userDir: string): string {
  return path.replace(/^~(?=\/)/, () => userDir);
}

function capsOf({ tokens, usd, calls, wall }: ConfigFile['budget']['run']) {
  return {
    tokens: tokens ?? null,
    usd: usd ?? null,
    calls: calls ?? null,
    wallMs: wall ?? null,
  };
}

export const defaultSettings: Settings = toSettings(ConfigFile.parse({}), '~');

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
