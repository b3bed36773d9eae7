/**
 * Invariants of messages to agents: each is delivered once and never lost. Also of the queues that
 * agents work off.
 */
import { isAgentAlive } from '../../../src/agents/agent-state.ts';
import type { SimulatedAgent, AgentFactStep } from './agent-facts.ts';
import { agentRule, agentsOf } from './agent-facts.ts';
import type { Invariant } from './attempt-rules.ts';
import type { WorldRecord } from './record.ts';

export const MESSAGE_RULES: readonly Invariant[] = [
  agentRule(
    'a message is delivered in the next turn, and again only if that turn failed',
    undelivered,
  ),
  { name: 'a queue item is never lost, and never with two agents', breaches: lostItems },
];

type Turn = { readonly index: number; readonly prompt: string; readonly counts: boolean };

function undelivered({ run, steps }: SimulatedAgent): readonly string[] {
  const turns = turnsIn(steps);
  return steps.flatMap(({ fact, before }, index) => {
    if (fact.type !== 'signal.received' || before.ending.outcome !== null) return [];
    const { signal } = fact.payload;
    if (signal.kind !== 'message' || !signal.text.startsWith('letter ')) return [];
    const { text } = signal;
    const later = turns.filter((turn) => turn.index > index);
    const first = later.findIndex(({ counts }) => counts);
    const tellers = first === -1 ? later : later.slice(0, first + 1);
    const others = first === -1 ? [] : later.slice(first + 1);
    return [
      ...(tellers.every(({ prompt: received }) => received.includes(text))
        ? []
        : [`agent ${run}: a turn did not receive ${text}`]),
      ...(others.some(({ prompt: received }) => received.includes(text))
        ? [`agent ${run}: it received ${text} twice`]
        : []),
    ];
  });
}

/** A turn counts if it completed and was not cancelled. */
function turnsIn(steps: readonly AgentFactStep[]): readonly Turn[] {
  return steps.flatMap(({ fact }, index) => {
    if (fact.type !== 'command.begun' || fact.payload.command !== 'attempt') return [];
    const { key } = fact.payload;
    const { prompt, resume, resumePrompt } = fact.payload.input;
    const received = typeof resume === 'string' ? (resumePrompt ?? '') : prompt;
    const end = steps.find(
      (step) => step.fact.type === 'command.ended' && step.fact.payload.key === key,
    );
    const ended = end?.fact.type === 'command.ended' ? end.fact.payload : undefined;
    const completed =
      ended?.command === 'attempt' &&
      ended.end.kind === 'done' &&
      ended.end.result.kind === 'completed';
    const isOwn = end?.before.leaving === null && isAgentAlive(end.before);
    return [{ index, prompt: received, counts: completed && isOwn }];
  });
}

function lostItems(record: WorldRecord): readonly string[] {
  const { laid, queue } = record;
  const names = queue.map((path) => path.slice(path.lastIndexOf('/') + 1));
  const gone = laid.filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const folder = path.slice(0, path.lastIndexOf('/'));
    return !queue.some((other) => other.startsWith(folder) && other.endsWith(`/${name}`));
  });
  const takes = agentsOf(record)
    .flatMap(({ run, steps }) => steps.map(({ fact, before }) => ({ run, fact, before })))
    .toSorted((a, b) => a.fact.id - b.fact.id);
  const holders = new Map<string, string>();
  const twice = takes.flatMap(({ run, fact, before }) => {
    if (fact.type !== 'command.ended' || fact.payload.end.kind !== 'done') return [];
    const { command, end } = fact.payload;
    if (command === 'release-item') {
      const own =
        before.work.item === null ? null : `${before.pinned.project} ${before.work.item.name}`;
      if (own !== null) holders.delete(own);
      return [];
    }
    if (command !== 'claim-item' || end.result.kind !== 'claimed') return [];
    const { name } = end.result;
    const index = `${before.pinned.project} ${name}`;
    const holder = holders.get(index);
    holders.set(index, run);
    const isTwice = holder !== undefined && holder !== run;
    return isTwice ? [`${name} was taken by ${run} while ${holder} had it`] : [];
  });
  return [...gone.map((path) => `${path} is missing in ${names.join(', ')}`), ...twice];
}
