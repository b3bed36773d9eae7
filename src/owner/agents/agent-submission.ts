/** Turns what is wanted of an agent, and the settings of its project, into what is pinned into its first fact. */
import { isAbsolute, resolve } from 'node:path';
import type { AttemptSettings } from '../../attempts/attempt.ts';
import { withoutSecrets } from '../../execution/environments/agent-secrets.ts';
import { Refusal } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { KIND_RULES } from '../../agents/kinds.ts';
import type { Submission } from '../../protocol/event.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { ASSERTION_MS, AGENT_PROGRAM } from '../../protocol/long-lived-agent.ts';
import type { Grant } from '../../protocol/agent-rules.ts';
import type { Settings } from '../../settings/settings.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { AgentRequest } from '../../settings/tree-config.ts';
import { pinnedPlace } from './supervisor-paths.ts';
import type { AgentRecord } from './agent-registry.ts';
import { needsSandboxRefusal, runAgents } from '../../attempts/run-agents.ts';

export type AgentOrigin = {
  readonly project: string;
  readonly parent: AgentRecord | null;
  /** The path of its supervisor inside its project. */
  readonly path: string;
  readonly declared: boolean;
  /** Somebody wants it without a sandbox. */
  readonly unsafe: boolean;
};

/** `ready` is the CLI to use where nobody has configured an agent. */
export function agentSubmission(
  wish: AgentRequest,
  settings: Settings,
  { project, parent, path, declared, unsafe }: AgentOrigin,
  ready: string | null,
): Submission {
  const from = parent === null ? settings.sandbox : parent.attempt.sandbox;
  const sandbox = sandboxOf(wish, { ...defaultSettings.sandbox, ...(from ?? settings.sandbox) });
  const budget = budgetOf(wish, settings);
  const isUnsafe = unsafe || parent?.attempt.unsafe === true;
  const { graceMs, deadlineMs, lostMax, outputBytesMax } = settings.attempt;
  const pinned: AttemptSettings = {
    agent: agentOf(wish, settings, ready, isUnsafe),
    recovery: settings.recovery,
    capacity: settings.capacity,
    graceMs,
    deadlineMs,
    lostMax,
    outputBytesMax,
    sandbox,
    gateway: settings.gateway,
    budget: { ...settings.budget, run: budget },
    setup: settings.setup,
    rules: settings.classify.rules,
    unsafe: isUnsafe,
  };
  const life: LongLivedSettings = {
    name: wish.name,
    kind: wish.kind,
    parent: parent?.run ?? null,
    supervisor: pinnedPlace(path),
    declared,
    commitments: wish.commitments.map(({ what, command }) => ({
      description: what,
      assertion: command as [string, ...string[]],
      by: 'parent',
      timeoutMs: ASSERTION_MS,
    })),
    onDone: wish.onDone,
    queue: wish.queue === null ? null : { ...wish.queue, dir: inside(project, wish.queue.dir) },
    flags: wish.flags,
    grant: grantOf(project, sandbox, budget),
    cut: wish.cut,
    health: wish.health,
    violations: wish.violations.map((rule) => inProject(project, rule)),
    restart: restartOf(wish),
  };
  return {
    program: AGENT_PROGRAM,
    task: wish.assignment,
    project,
    settings: { ...pinned, life },
  };
}

/** As it would be read back from the journal. */
function text(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/** Whether a living agent is what would be submitted now; who its parent is does not matter. */
export function isAsDeclared(record: AgentRecord, { task, settings }: Submission): boolean {
  const { life, ...attempt } = settings as unknown as AttemptSettings & { life: LongLivedSettings };
  return (
    record.assignment === task &&
    text(record.attempt) === text(attempt) &&
    text({ ...record.settings, parent: null }) === text({ ...life, parent: null })
  );
}

function agentOf(
  { agent, model }: AgentRequest,
  settings: Settings,
  ready: string | null,
  unsafe: boolean,
): AttemptSettings['agent'] {
  const [first] = runAgents(agent === null ? {} : { agent }, settings, ready).agents;
  if (first === undefined)
    throw new Refusal({ code: 'usage.invalid', message: 'There is no agent to be one.' });
  const own = withoutSecrets(first);
  if (own.fromProject === true && (unsafe || own.cli === 'scripted'))
    throw needsSandboxRefusal(own.id);
  return model === null ? own : { ...own, model };
}

function sandboxOf({ sandbox }: AgentRequest, from: Settings['sandbox']): Settings['sandbox'] {
  const { mounts, toolchains, hosts, memoryBytes, cpus, pids } = sandbox;
  return {
    ...from,
    ...(mounts !== null && { mounts }),
    ...(toolchains !== null && { grants: { ...from.grants, toolchains } }),
    ...(hosts !== null && { hosts }),
    ...(memoryBytes !== null && { memoryBytes }),
    ...(cpus !== null && { cpus }),
    ...(pids !== null && { pids }),
  };
}

function budgetOf({ budget }: AgentRequest, settings: Settings): Settings['budget']['run'] {
  const { run } = settings.budget;
  return {
    usd: budget.usd ?? run.usd,
    tokens: budget.tokens ?? run.tokens,
    calls: budget.calls ?? run.calls,
    wallMs: budget.wallMs ?? run.wallMs,
  };
}

function grantOf(
  project: string,
  { mounts, hosts, grants }: Settings['sandbox'],
  budget: Grant['budget'],
): Grant {
  const from = (mode: 'ro' | 'rw'): string[] =>
    mounts.filter((mount) => mount.mode === mode).map((mount) => mount.from);
  return {
    writes: [project, ...from('rw')],
    reads: [...from('ro'), ...grants.toolchains],
    hosts,
    capabilities: grants.files.map((file) => `file ${file}`),
    budget,
  };
}

function restartOf({ kind, restart }: AgentRequest): LongLivedSettings['restart'] {
  const rules = KIND_RULES[kind];
  const { backoffBaseMs, backoffMaxMs } = restart;
  const isAtOnce = rules.backoff === null && backoffBaseMs === null && backoffMaxMs === null;
  const baseMs = backoffBaseMs ?? rules.backoff?.baseMs ?? 0;
  return {
    type: restart.type ?? rules.restart,
    restartsMax: restart.restartsMax ?? rules.intensity.restartsMax,
    withinMs: restart.withinMs ?? rules.intensity.withinMs,
    backoff: isAtOnce
      ? null
      : { baseMs, maxMs: Math.max(baseMs, backoffMaxMs ?? rules.backoff?.maxMs ?? baseMs) },
  };
}

function inProject(project: string, rule: LongLivedSettings['violations'][number]): typeof rule {
  const { when } = rule;
  if (when.kind !== 'outside' && when.kind !== 'self-modification') return rule;
  const folders = when.folders.map((folder) => inside(project, folder));
  return { ...rule, when: { ...when, folders } };
}

/** `./tasks` is in the project. */
function inside(project: string, path: string): string {
  return isAbsolute(path) ? path : resolve(project, path);
}
