/** From what a person wrote of the tree to what the program reads. */
import { hostAndPort } from './host-and-port.ts';
import type { TreeAgentConfig, TreeConfig } from './tree-config.ts';
import type { AgentRequest, TreeSettings } from './tree-settings.ts';
import type { TreePlace } from '../protocol/tree-place.ts';

/** Any level of the tree: what it may have depends on which of the two it is. */
type Entry = TreeAgentConfig & {
  readonly strategy?: 'one_for_one' | 'one_for_all' | 'rest_for_one' | undefined;
  readonly intensity?: { readonly restarts: number; readonly within: number } | undefined;
  readonly children?: readonly Entry[] | undefined;
};

const INTENSITY = { restarts: 3, within: 300_000 };

/** `atHome` puts the user's folder in place of `~`. */
export function toTreeSettings(tree: TreeConfig, atHome: (path: string) => string): TreeSettings {
  const places: TreePlace[] = [];
  const agents: { path: string; wish: AgentRequest }[] = [];
  const walk = (entries: readonly Entry[], above: string): void => {
    for (const entry of entries) {
      const path = `${above}${entry.name}`;
      if (entry.children === undefined) {
        places.push({ type: 'agent', path });
        agents.push({ path, wish: agentRequest(entry, atHome) });
        continue;
      }
      const { strategy = 'one_for_one', intensity = INTENSITY } = entry;
      places.push({
        type: 'supervisor',
        path,
        strategy: STRATEGIES[strategy],
        restartsMax: intensity.restarts,
        withinMs: intensity.within,
      });
      walk(entry.children, `${path}/`);
    }
  };
  walk(tree.children, '');
  return { places, agents, depthMax: tree.depth_max, childrenMax: tree.children_max };
}

const STRATEGIES = {
  one_for_one: 'one-for-one',
  one_for_all: 'one-for-all',
  rest_for_one: 'rest-for-one',
} as const;

export function agentRequest(
  entry: TreeAgentConfig,
  atHome: (path: string) => string,
): AgentRequest {
  const { budget, sandbox, restart, health, workspace, flags, queue } = entry;
  return {
    name: entry.name,
    kind: entry.kind ?? 'mortal',
    assignment: entry.assignment ?? '',
    agent: entry.agent ?? null,
    model: entry.model ?? null,
    commitments: entry.commitments,
    queue: queue === undefined ? null : { dir: atHome(queue.dir), onEmpty: queue.on_empty },
    onDone: entry.on_done ?? (queue === undefined ? 'dismiss' : 'next'),
    budget: {
      usd: budget.usd ?? null,
      tokens: budget.tokens ?? null,
      calls: budget.calls ?? null,
      wallMs: budget.wall_s === undefined ? null : budget.wall_s * 1000,
    },
    sandbox: {
      mounts:
        sandbox.mounts?.map(({ path, to, mode }) => {
          const from = atHome(path);
          return { from, to: to ?? from, mode };
        }) ?? null,
      toolchains: sandbox.toolchains?.map(atHome) ?? null,
      hosts: sandbox.network?.map(hostAndPort) ?? null,
      memoryBytes: sandbox.memory ?? null,
      cpus: sandbox.cpus ?? null,
      pids: sandbox.pids ?? null,
    },
    restart: {
      type: restart.type ?? null,
      restartsMax: restart.restarts ?? null,
      withinMs: restart.within ?? null,
      backoffBaseMs: restart.backoff_base ?? null,
      backoffMaxMs: restart.backoff_max ?? null,
    },
    health: {
      spinCalls: health.spin_calls,
      onSpin: health.on_spin,
      inactivity:
        health.inactivity === undefined
          ? null
          : { afterMs: health.inactivity.after, action: health.inactivity.action },
    },
    violations: entry.violations.map(({ name, action, ...rule }) => ({
      name,
      action,
      when: conditionOf(rule, atHome),
    })),
    cut: {
      workspace: {
        'over-budget': workspace.over_budget,
        'wrong-changeset': workspace.wrong_changeset,
        spinning: workspace.spinning,
        gang: workspace.gang,
        'asks-to-abort': workspace.asks_to_abort,
        crashed: workspace.crashed,
      },
      models: entry.models,
      onGang: entry.on_gang,
    },
    flags: {
      background: flags.background,
      perseverance: flags.perseverance,
      userPresent: flags.user_present,
    },
  };
}

type Condition = Omit<TreeAgentConfig['violations'][number], 'name' | 'action'>;

/** The schema has seen to it that there is exactly one. */
function conditionOf(
  rule: Condition,
  atHome: (path: string) => string,
): AgentRequest['violations'][number]['when'] {
  if (rule.outside !== undefined) return { kind: 'outside', folders: rule.outside.map(atHome) };
  if (rule.self_modification !== undefined)
    return { kind: 'self-modification', folders: rule.self_modification.map(atHome) };
  if (rule.over_budget !== undefined) return { kind: 'over-budget', usd: rule.over_budget };
  if (rule.children_max !== undefined) return { kind: 'too-many-children', max: rule.children_max };
  if (rule.unknown_host !== undefined) return { kind: 'unknown-host', hosts: rule.unknown_host };
  return { kind: 'command', words: rule.command ?? [] };
}
