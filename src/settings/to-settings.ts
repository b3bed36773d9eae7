/** From what a person wrote to what the program reads: one unit a field, nothing left out. */
import { hostAndPort } from './host-and-port.ts';
import { shellWords } from '../base/shell-words.ts';
import { ConfigFile } from './config-file.ts';
import type { CapsConfig } from './gateway-config.ts';
import { SettingsSchema } from './settings.ts';
import type { Settings } from './settings.ts';
import { toTreeSettings } from './to-tree-settings.ts';

/** `userDir` is what `~` stands for. */
export function toSettings(config: ConfigFile, userDir: string): Settings {
  const { limits, attempt, selection, capacity, gateway, budget, owner } = config;
  return SettingsSchema.parse({
    version: config.version,
    agents: config.agents.map((agent) => agentSettings(agent, userDir)),
    defaultAgent: config.default_agent ?? null,
    limits: {
      attempts: limits.attempts,
      startsPerMinute: limits.starts_per_minute ?? null,
      diskFreeBytes: limits.disk_free,
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
    selection: { ...selection, pinned: selection.pinned ?? null },
    recovery: recoverySettings(config.recovery),
    capacity: { runsMax: capacity.runs_max, perAgentMax: capacity.per_agent_max },
    gates: config.gates.map(
      ({
        timeout: timeoutMs,
        accept_unprotected: accepts,
        tests_may_change: may,
        count,
        ...gate
      }) => ({
        ...gate,
        timeoutMs,
        ...(count === false ? { count } : {}),
        ...(accepts === true ? { acceptsUnprotected: true } : {}),
        ...(may === true ? { testsMayChange: true } : {}),
      }),
    ),
    setup: config.setup === undefined ? null : setupSettings(config.setup),
    gateway: {
      limitPatienceMs: config.recovery.limit_patience_s * 1000,
      outagePatienceMs: gateway.outage_patience,
      callsPerProject: gateway.calls_per_project,
      silenceMs: gateway.silence,
      requestBytesMax: gateway.request_max,
      recordBytesMax: gateway.record_max,
      privateHosts: gateway.private_hosts,
      serverTools: gateway.server_tools,
      prices: gateway.prices.map(
        ({ cache_write: cacheWrite, output_max: outputMax, ...price }) => ({
          ...price,
          ...(cacheWrite !== undefined && { cacheWrite }),
          ...(outputMax !== undefined && { outputMax }),
        }),
      ),
    },
    budget: {
      run: capsOf(budget),
      project: capsOf(budget.project),
      tree: capsOf(budget.tree),
    },
    owner: {
      idleExitMs: owner.idle_exit,
      clearOrphansAfterMs: owner.clear_orphans_after ?? null,
    },
    tree: toTreeSettings(config.tree, (path) => atHome(path, userDir)),
  });
}

function sandboxSettings(sandbox: ConfigFile['sandbox'], userDir: string): Settings['sandbox'] {
  const { memory, disk, tmp, image, mounts, preflight, network, grants, ...same } = sandbox;
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
    hosts: network.map(hostAndPort),
    grants: {
      toolchains: grants.toolchains.map((folder) => atHome(folder, userDir)),
      files: grants.files,
      gitIdentity: identityOf(grants.git_identity),
    },
  };
}

function atHome(path: string, userDir: string): string {
  return path.replace(/^~(?=\/)/, () => userDir);
}

function agentSettings(
  {
    config_dir: dir,
    resume_command: resumeCommand,
    model,
    flags,
    command,
    output,
    files,
    ...agent
  }: ConfigFile['agents'][number],
  userDir: string,
): object {
  return {
    ...agent,
    args: [...agent.args, ...(shellWords(flags ?? '') ?? [])],
    command: command ?? null,
    ...(resumeCommand === undefined ? {} : { resumeCommand }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    output: output === undefined ? null : outputSettings(output),
    model: model ?? null,
    configDir: dir === undefined ? null : atHome(dir, userDir),
  };
}

function outputSettings({
  usage_fields: usageFields,
  session_line: sessionLine,
  ...output
}: NonNullable<ConfigFile['agents'][number]['output']>): object {
  return {
    format: output.format,
    result: output.result ?? null,
    usage: output.usage ?? null,
    session: output.session ?? null,
    error: output.error ?? null,
    ...(usageFields === undefined ? {} : { usageFields }),
    ...(sessionLine === undefined ? {} : { sessionLine }),
  };
}

function recoverySettings(recovery: ConfigFile['recovery']): Settings['recovery'] {
  return {
    preset: recovery.preset,
    retriesPerAgent: recovery.retries_per_agent ?? null,
    attemptsMax: recovery.attempts_max ?? null,
    cooldownMs: recovery.cooldown_s * 1000,
    waitForReset: recovery.wait_for_reset,
    waitMaxMs: recovery.wait_max_s * 1000,
  };
}

function identityOf(written: string | undefined): Settings['sandbox']['grants']['gitIdentity'] {
  const [, name, email] = /^(.*) <(.*)>$/.exec(written ?? '') ?? [];
  return name === undefined || email === undefined ? null : { name: name.trim(), email };
}

function setupSettings({
  timeout: timeoutMs,
  ...setup
}: NonNullable<ConfigFile['setup']>): Settings['setup'] {
  return { ...setup, timeoutMs };
}

function capsOf({ tokens, usd, calls, wall_s: wallS }: CapsConfig) {
  return {
    tokens: tokens ?? null,
    usd: usd ?? null,
    calls: calls ?? null,
    wallMs: wallS === undefined ? null : wallS * 1000,
  };
}

export const defaultSettings: Settings = toSettings(ConfigFile.parse({}), '~');
