/**
 * Reports the activity of an attempt's agent to its monitors while it happens. Paths are those of
 * the user's own tree, whose copy the agent works in.
 */
import { posix } from 'node:path';
import type { AgentEvent } from '../adapters/agent-event.ts';
import { callSignature } from '../turns/call-signature.ts';
import { toolActivity } from '../turns/tool-activity.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { GatewayFact } from '../gateway/gateway-facts.ts';
import type { BudgetPool } from '../gateway/budget/budget-pool.ts';
import { hashText } from '../base/hash-text.ts';
import type { Activity, BudgetShare, AgentActivity } from '../protocol/activity.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** Never throws, and returns at once. */
export type OnActivity = (run: RunId, activity: AgentActivity) => void;

/** The folder in which an agent works, and the user's folder that it copies. Without a copy, both are the same. */
export type WorkTree = { readonly folder: string; readonly copyOf: string };

const CALL_CHARS_MAX = 200;
const HASH_DIGITS = 12;

/** A short text that is equal for two calls of the same tool with the same arguments. */
export function callActivity({
  tool,
  args,
  input,
}: Extract<AgentEvent, { kind: 'used-tool' }>): string {
  const fullInput = typeof input === 'string' ? input : JSON.stringify(input ?? '');
  const call = args === '' ? tool : `${tool} ${args}`;
  if (fullInput.length <= CALL_CHARS_MAX && call.length <= CALL_CHARS_MAX) return call;
  return `${call.slice(0, CALL_CHARS_MAX)} #${hashText(fullInput).slice(0, HASH_DIGITS)}`;
}

/** The activity that one event of the agent shows. `cwd` is the agent's working folder. */
export function observedActivity(
  event: AgentEvent,
  tree: WorkTree,
  cwd: string,
): readonly AgentActivity[] {
  if (event.kind !== 'used-tool') return [];
  const activities = toolActivity(event.tool, event.input);
  return [
    {
      kind: 'call',
      call: callActivity(event),
      // The same identity as in the record of turns: temporary paths, times and ids do not count.
      signature: callSignature(event.tool, event.input),
    },
    ...activities.map((activity) => inUserTree(activity, tree, cwd)),
  ];
}

function inUserTree(activity: Activity, { folder, copyOf }: WorkTree, cwd: string): Activity {
  if (activity.kind !== 'write') return activity;
  const path = posix.resolve(cwd, activity.path);
  const inside = posix.relative(folder, path);
  const isInside = inside !== '..' && !inside.startsWith('../');
  return { kind: 'write', path: isInside ? posix.join(copyOf, inside) : path };
}

/** All paths that the run has changed, as one activity. */
export function changedPaths(
  paths: readonly string[],
  { tree, redactor }: { readonly tree: WorkTree; readonly redactor: Redactor | null },
): AgentActivity {
  const whole = paths.map((path) => posix.join(tree.copyOf, path)).join('\0');
  const clean = redactor === null ? whole : redactor.text(whole);
  return { kind: 'changed', paths: clean === '' ? [] : clean.split('\0') };
}

/** The activity that a fact of the gateway shows: spending, and refused hosts. `clean` removes secrets. */
export function activityOfFact(
  fact: GatewayFact,
  pools: readonly BudgetPool[],
  clock: Clock,
  clean: (text: string) => string,
): readonly AgentActivity[] {
  if (fact.kind === 'call-settled') {
    const own = pools.find(({ scope }) => scope === 'run');
    if (own === undefined) return [];
    return [
      { kind: 'spend', usd: own.ledger.spent.usd },
      { kind: 'purse', shares: budgetShares(own, clock) },
    ];
  }
  if (fact.kind !== 'unexpected-request') return [];
  const [, host] =
    /^(?:CONNECT |\w+ https?:\/\/)([\w.-]+|\[[\da-f:]+\])/i.exec(clean(fact.what)) ?? [];
  return host === undefined ? [] : [{ kind: 'connect', host }];
}

function budgetShares(
  { ledger: { caps, spent, begunAt } }: BudgetPool,
  clock: Clock,
): readonly BudgetShare[] {
  const all = [
    { limit: 'usd', spent: spent.usd, cap: caps.usd },
    { limit: 'tokens', spent: spent.tokens, cap: caps.tokens },
    { limit: 'calls', spent: spent.calls, cap: caps.calls },
    { limit: 'wall', spent: clock.now() - begunAt, cap: caps.wallMs },
  ] as const;
  return all.flatMap(({ cap, ...share }) => (cap === null ? [] : [{ ...share, cap }]));
}
