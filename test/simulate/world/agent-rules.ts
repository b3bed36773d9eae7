/** Invariants of every long-lived agent, whatever faults occur. */
import type { AgentState } from '../../../src/protocol/long-lived-agent.ts';
import type { SimulatedAgent, AgentFactStep } from './agent-facts.ts';
import { agentRule, agentsOf, isOver, openBefore } from './agent-facts.ts';
import type { Invariant } from './attempt-rules.ts';
import { afterFaults } from './exemptions.ts';
import type { WorldRecord } from './record.ts';

/** After this much time without faults, everything that an agent is due to do has happened. */
const SOON_MS = 60_000;
const LONG_MS = 600_000;
/** Questions that do not block an agent, and the one that does. */
const QUESTIONS_MAX = 21;

export const AGENT_RULES: readonly Invariant[] = [
  agentRule('an agent has one life at a time, numbered without gaps', twoLives),
  agentRule('an agent makes only legal transitions', illegalMoves),
  agentRule('no agent is done with an unverified commitment', unkept),
  agentRule('a person is asked a question once, and the number is bounded', tooManyQuestions),
  agentRule('an agent that is down is restarted, exhausted, or over', leftForDead),
  { name: 'no agent outlives its parent', breaches: orphans },
];

function twoLives({ run, steps }: SimulatedAgent): readonly string[] {
  return steps.flatMap((step) => {
    const { fact, before, after } = step;
    if (fact.type === 'command.begun' && fact.payload.command === 'attempt') {
      const { why } = fact.payload.input;
      const life = why.kind === 'turn' ? why.life : null;
      const isOwn = before.exit === null && life === before.lives && life > 0;
      return isOwn ? [] : [`agent ${run}: ${fact.payload.key} belongs to no current life`];
    }
    if (after.lives === before.lives) return [];
    const open = openBefore(step, 'attempt', 'gate', 'claim-item', 'wait');
    return [
      ...(after.lives === before.lives + 1 ? [] : [`agent ${run}: life ${after.lives} came next`]),
      ...(before.lives === 0 || before.exit !== null ? [] : [`agent ${run}: two lives at once`]),
      ...open.map((key) => `agent ${run}: life ${after.lives} began while ${key} was running`),
    ];
  });
}

/**
 * From and to, as decided. An agent that escalates to a person enters `working` for a moment first.
 */
const MAY_FOLLOW: Readonly<Record<AgentState, readonly AgentState[]>> = {
  summoned: ['working', 'failed-reaped', 'dismissed-reaped'],
  working: ['waiting-input', 'waiting-wakeup', 'verifying', 'failed-reaped', 'dismissed-reaped'],
  'waiting-input': ['working', 'failed-reaped', 'dismissed-reaped'],
  'waiting-wakeup': ['working', 'failed-reaped', 'dismissed-reaped', 'waiting-input'],
  verifying: ['done', 'working', 'waiting-input', 'failed-reaped', 'dismissed-reaped'],
  done: ['working', 'waiting-input', 'dismissed-reaped', 'gc'],
  'failed-reaped': ['working', 'waiting-input', 'gc'],
  'dismissed-reaped': ['gc'],
  gc: [],
};

export function illegalMoves({ run, steps, life }: SimulatedAgent): readonly string[] {
  return steps.flatMap(({ fact, from, to, after: { ending } }) => {
    if (from === to) return [];
    // A claim and its consequences are one fact: an agent without commitments is done at once.
    const isUnproven = from === 'working' && to === 'done' && life.commitments.length === 0;
    const isIdle = to === 'waiting-wakeup' && life.flags.perseverance;
    // A trigger ends the life of an agent that is done in one fact too, and so does the file that it then claims.
    const isClaim = fact.type === 'command.ended' && fact.payload.command === 'claim-item';
    const isTrigger = fact.type === 'signal.received' && fact.payload.signal.kind === 'trigger';
    // A supervisor that gives up ends an agent that is done and paused: its run can only fail then.
    const isGivenUp =
      fact.type === 'signal.received' && fact.payload.signal.kind === 'restarts-exhausted';
    const isCut = (isClaim || isTrigger || isGivenUp) && from === 'done' && to === 'failed-reaped';
    const mayFollow = MAY_FOLLOW[from].includes(to) || isUnproven || isCut;
    return [
      ...(mayFollow ? [] : [`agent ${run}: from ${from} to ${to}`]),
      ...(isIdle ? [`agent ${run}: it perseveres, and waits`] : []),
      ...(ending.outcome !== null && to === 'working'
        ? [`agent ${run}: it works, and is over`]
        : []),
    ];
  });
}

function unkept({ run, steps, life }: SimulatedAgent): readonly string[] {
  const passed = new Set<string>();
  let isDone = false;
  return steps.flatMap((step) => {
    const { fact, from, to } = step;
    if (fact.type === 'command.begun' && fact.payload.command === 'attempt') {
      passed.clear();
      isDone = false;
    }
    if (fact.type === 'command.ended' && fact.payload.command === 'gate') {
      const { end } = fact.payload;
      if (end.kind === 'done' && end.result.kind === 'passed') passed.add(end.result.name);
      else if (end.kind === 'done') passed.delete(end.result.name);
    }
    if (to === 'done' && from !== 'done') {
      isDone = true;
      const open = life.commitments.filter(({ description }) => !passed.has(description));
      return open.map(({ description }) => `agent ${run}: done, and not verified: ${description}`);
    }
    if (fact.type !== 'run.ended') return [];
    const { kind } = fact.payload.outcome;
    const expectedText = life.commitments.length > 0 ? 'succeeded' : 'unverified';
    if (kind !== 'succeeded' && kind !== 'unverified') return [];
    return kind === expectedText && isDone
      ? []
      : [`agent ${run}: it ended as ${kind}, and was not done`];
  });
}

function tooManyQuestions({ run, steps }: SimulatedAgent): readonly string[] {
  const open = new Map<string, string>();
  return steps.flatMap(({ fact }) => {
    if (fact.type === 'command.ended') open.delete(fact.payload.key);
    if (fact.type !== 'command.begun' || fact.payload.command !== 'ask') return [];
    const { key, input } = fact.payload;
    const { question } = input;
    const isKnown = [...open.values()].includes(question);
    open.set(key, question);
    return [
      ...(isKnown ? [`agent ${run}: ${key} asks once more: ${question}`] : []),
      ...(open.size > QUESTIONS_MAX ? [`agent ${run}: ${open.size} questions at once`] : []),
    ];
  });
}

function leftForDead(
  { run, first, life, steps }: SimulatedAgent,
  record: WorldRecord,
): readonly string[] {
  const { facts, troubles } = record;
  const endMs = facts.at(-1)?.elapsedMs ?? 0;
  const downs = [
    { elapsedMs: first.elapsedMs, from: 0 },
    ...steps.flatMap(({ fact, before, after }, place) =>
      before.exit === null && after.exit !== null && after.ending.outcome === null
        ? [{ elapsedMs: fact.elapsedMs, from: place + 1 }]
        : [],
    ),
  ];
  return downs.flatMap(({ elapsedMs, from }) => {
    const next = steps.slice(from).find((step) => isSettled(step));
    const nextMs = next?.fact.elapsedMs ?? endMs;
    const backoffMs = life.restart.backoff?.maxMs ?? 0;
    const dueMs = afterFaults(troubles, elapsedMs + 2 * backoffMs + LONG_MS);
    return nextMs <= dueMs ? [] : [`agent ${run}: down for ${(nextMs - elapsedMs) / 1000} s`];
  });
}

function isSettled(step: AgentFactStep): boolean {
  const { before, after } = step;
  return (
    after.lives > before.lives ||
    (after.restartsExhausted && !before.restartsExhausted) ||
    isOver(step)
  );
}

function orphans(record: WorldRecord): readonly string[] {
  const overMs = new Map<string, number>();
  for (const { run, steps } of agentsOf(record))
    overMs.set(run, steps.find(isOver)?.fact.elapsedMs ?? Infinity);
  const endMs = record.facts.at(-1)?.elapsedMs ?? 0;
  return agentsOf(record).flatMap(({ run, life }) => {
    const parentMs = life.parent === null ? Infinity : (overMs.get(life.parent) ?? 0);
    const ownMs = Math.min(overMs.get(run) ?? Infinity, endMs);
    if (parentMs === Infinity) return [];
    const lateMs = ownMs - afterFaults(record.troubles, parentMs + SOON_MS);
    return lateMs <= 0 ? [] : [`agent ${run}: it outlived ${life.parent} by ${lateMs / 1000} s`];
  });
}
