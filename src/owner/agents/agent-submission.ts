/**
 * Turns the request for an agent and the settings of its project into the settings that its first
 * fact pins.
 */
import { isAbsolute, resolve } from 'node:path';
import { Refusal } from '../../base/errors.ts';
import type { Json } from '../../base/json.ts';
import { canonicalJson } from '../../base/json.ts';
import { KIND_RULES } from '../../agents/kinds.ts';
import type { AgentSubmission } from '../../protocol/run-submission.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import { ASSERTION_MS } from '../../protocol/long-lived-agent.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { Grant } from '../../protocol/agent-rules.ts';
import type { Settings } from '../../settings/settings.ts';
import type { AgentRequest } from '../../settings/tree-config.ts';
import type { CredentialSource } from '../credentials/given-variables.ts';
import { pinAgent } from '../credentials/given-variables.ts';
import { pinnedPath } from './supervisor-paths.ts';
import type { AgentRecord } from './agent-registry.ts';
import { needsSandboxRefusal, runAgents } from '../../attempts/choice/run-agents.ts';
import type { AttemptSettings } from '../../protocol/pinned-settings.ts';

export type AgentOrigin = {
  readonly project: string;
  readonly parent: AgentRecord | null;
  /** The path of the agent's supervisor inside its project. */
  readonly path: string;
  readonly declared: boolean;
  /** True if the agent runs without a sandbox on request. */
  readonly unsafe: boolean;
};

export type AgentParts = {
  /** The CLI to use if no agent is configured. */
  readonly defaultAgent: string | null;
  /** Where the credentials of the agent come from. */
  readonly environment: CredentialSource;
};

export function agentSubmission(
  request: AgentRequest,
  settings: Settings,
  { project, parent, path, declared, unsafe }: AgentOrigin,
  parts: AgentParts,
): AgentSubmission {
  const base = parent === null ? settings.sandbox : parent.attempt.sandbox;
  const sandbox = mergeSandbox(request, base);
  const budget = mergeBudget(request, settings);
  const isUnsafe = unsafe || parent?.attempt.unsafe === true;
  const { graceMs, deadlineMs, interruptionsMax, outputBytesMax } = settings.attempt;
  const pinned: AttemptSettings = {
    agent: chooseAgent(request, settings, parts, isUnsafe),
    recovery: settings.recovery,
    capacity: settings.capacity,
    graceMs,
    deadlineMs,
    interruptionsMax,
    outputBytesMax,
    sandbox,
    gateway: settings.gateway,
    budget: { ...settings.budget, run: budget },
    steering: settings.steering,
    setup: settings.setup,
    rules: settings.classify.rules,
    unsafe: isUnsafe,
  };
  const longLived: LongLivedSettings = {
    name: request.name,
    kind: request.kind,
    parent: parent?.run ?? null,
    supervisor: pinnedPath(path),
    declared,
    commitments: request.commitments.map(({ what, command }) => ({
      description: what,
      assertion: command as [string, ...string[]],
      by: 'parent',
      timeoutMs: ASSERTION_MS,
    })),
    onDone: request.onDone,
    queue:
      request.queue === null
        ? null
        : { ...request.queue, dir: resolvePath(project, request.queue.dir) },
    flags: request.flags,
    grant: grantFor(project, sandbox, budget),
    triggers: request.triggers,
    health: request.health,
    violations: request.violations.map((rule) => resolveRule(project, rule)),
    restart: restartRules(request),
  };
  return {
    program: AGENT_PROGRAM,
    task: request.assignment,
    project,
    settings: { ...pinned, longLived },
  };
}

/** The value in the form in which the journal returns it, as canonical text. */
function canonicalText(value: unknown): string {
  return canonicalJson(JSON.parse(JSON.stringify(value)) as Json);
}

/** Whether an agent equals what would be submitted now, apart from its parent and from what a shell gave it. */
export function isAsDeclared(record: AgentRecord, { task, settings }: AgentSubmission): boolean {
  const { longLived, ...attempt } = settings;
  return (
    record.assignment === task &&
    canonicalText(withoutGiven(record.attempt)) === canonicalText(withoutGiven(attempt)) &&
    canonicalText({ ...record.settings, parent: null }) ===
      canonicalText({ ...longLived, parent: null })
  );
}

function withoutGiven({ agent, ...attempt }: AttemptSettings): unknown {
  const { given: _given, account: _account, ...settings } = agent;
  return { ...attempt, agent: settings };
}

function chooseAgent(
  { agent, model }: AgentRequest,
  settings: Settings,
  { defaultAgent, environment }: AgentParts,
  unsafe: boolean,
): AttemptSettings['agent'] {
  const [first] = runAgents(agent === null ? {} : { agent }, settings, defaultAgent).agents;
  if (first === undefined)
    throw new Refusal({
      code: 'usage.invalid',
      message: 'No agent is configured for this project.',
    });
  const chosen = model === null ? first : { ...first, model };
  const own = pinAgent(chosen, environment, { isContained: !unsafe });
  if (own.fromProject === true && (unsafe || own.cli === 'scripted'))
    throw needsSandboxRefusal(own.id);
  return own;
}

function mergeSandbox({ sandbox }: AgentRequest, base: Settings['sandbox']): Settings['sandbox'] {
  const { mounts, toolchains, hosts, memoryBytes, cpus, pids } = sandbox;
  return {
    ...base,
    ...(mounts !== null && { mounts }),
    ...(toolchains !== null && { grants: { ...base.grants, toolchains } }),
    ...(hosts !== null && { hosts }),
    ...(memoryBytes !== null && { memoryBytes }),
    ...(cpus !== null && { cpus }),
    ...(pids !== null && { pids }),
  };
}

function mergeBudget({ budget }: AgentRequest, settings: Settings): Settings['budget']['run'] {
  const { run } = settings.budget;
  return {
    usd: budget.usd ?? run.usd,
    tokens: budget.tokens ?? run.tokens,
    calls: budget.calls ?? run.calls,
    wallMs: budget.wallMs ?? run.wallMs,
  };
}

function grantFor(
  project: string,
  { mounts, hosts, grants }: Settings['sandbox'],
  budget: Grant['budget'],
): Grant {
  const base = (mode: 'ro' | 'rw'): string[] =>
    mounts.filter((mount) => mount.mode === mode).map((mount) => mount.from);
  return {
    writes: [project, ...base('rw')],
    reads: [...base('ro'), ...grants.toolchains],
    hosts,
    capabilities: grants.files.map((file) => `file ${file}`),
    budget,
  };
}

function restartRules({ kind, restart }: AgentRequest): LongLivedSettings['restart'] {
  const rules = KIND_RULES[kind];
  const { backoffBaseMs, backoffMaxMs } = restart;
  const hasNoBackoff = rules.backoff === null && backoffBaseMs === null && backoffMaxMs === null;
  const baseMs = backoffBaseMs ?? rules.backoff?.baseMs ?? 0;
  return {
    type: restart.type ?? rules.restart,
    restartsMax: restart.restartsMax ?? rules.intensity.restartsMax,
    withinMs: restart.withinMs ?? rules.intensity.withinMs,
    backoff: hasNoBackoff
      ? null
      : { baseMs, maxMs: Math.max(baseMs, backoffMaxMs ?? rules.backoff?.maxMs ?? baseMs) },
  };
}

function resolveRule(project: string, rule: LongLivedSettings['violations'][number]): typeof rule {
  const { when } = rule;
  if (when.kind !== 'outside' && when.kind !== 'self-modification') return rule;
  const folders = when.folders.map((folder) => resolvePath(project, folder));
  return { ...rule, when: { ...when, folders } };
}

/** Resolves a relative path such as `./tasks` against the project. */
function resolvePath(project: string, path: string): string {
  return isAbsolute(path) ? path : resolve(project, path);
}
