/**
 * What the program reads of its configuration: complete, frozen, one unit a field, and plain JSON,
 * since a run's settings are pinned into its stream.
 */
import { z } from 'zod';
import { parseAgentId } from '../base/ids.ts';
import type { AgentId } from '../base/ids.ts';
import { AGENT_CLIS, ConfigFile } from './config-file.ts';

const count = z.int().nonnegative();

export const AgentSettings = z
  .strictObject({
    id: z.custom<AgentId>((id) => typeof id === 'string' && parseAgentId(id) !== undefined),
    cli: z.enum(AGENT_CLIS),
    args: z.array(z.string()).readonly(),
    model: z.string().nullable(),
    configDir: z.string().nullable(),
    env: z.record(z.string(), z.string()).readonly(),
  })
  .readonly();
export type AgentSettings = z.infer<typeof AgentSettings>;

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
            cached: amount.optional(),
            cacheWrite: amount.optional(),
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
    owner: z.strictObject({ idleExitMs: count, eventsPage: count }).readonly(),
  })
  .readonly();
export type Settings = z.infer<typeof SettingsSchema>;

/** `userDir` is what `~` stands for. */
export function toSettings(config: ConfigFile, userDir: string): Settings {
  const { limits, attempt, gateway, budget, owner } = config;
  return SettingsSchema.parse({
    version: config.version,
    agents: config.agents.map(({ config_dir: dir, model, ...agent }) => ({
      ...agent,
      model: model ?? null,
      configDir: dir === undefined ? null : dir.replace(/^~(?=\/)/, () => userDir),
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
    owner: { idleExitMs: owner.idle_exit, eventsPage: owner.events_page },
  });
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
  return { id: cli as string as AgentId, cli, args: [], model: null, configDir: null, env: {} };
}
