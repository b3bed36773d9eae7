/**
 * The events of one world, drawn from its seed before it begins. They are plain values, so they can
 * be printed.
 */
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem, seededRandom } from '../../../src/base/random.ts';
import type { AttemptSettings } from '../../../src/attempts/attempt.ts';
import type { Limit } from '../../../src/engine/limits.ts';
import type { Submission } from '../../../src/protocol/event.ts';
import type { FakeCommand } from '../../../src/testing/fakes/fake-program.ts';
import { fakeSubmission } from '../../../src/testing/fakes/fake-program.ts';
import type { AgentsScenario, TurnFault } from './agents-scenario.ts';
import { drawAgents } from './agents-scenario.ts';
import type { Fault, Timed } from './machine-faults.ts';
import { drawFault, drawPowerCuts, FAULTS } from './machine-faults.ts';
import type { TreesScenario } from './trees-scenario.ts';
import { drawTrees } from './trees-scenario.ts';

/** How an agent, or the code that runs it, can behave. */
export const AGENT_FAULTS = [
  'agent-crash',
  'agent-deaf',
  'agent-flood',
  'agent-missing',
  'agent-endless',
  'agent-limited',
  'agent-oom',
  'agent-asks',
  'agent-spent',
  'gate-red',
  'gate-unable',
  'setup-fails',
  'performer-defect',
] as const;
export type AgentFault = (typeof AGENT_FAULTS)[number];

export type FaultKind = Fault['kind'] | AgentFault | TurnFault;

export const FAULT_KINDS: readonly FaultKind[] = [...FAULTS, 'power-cut', ...AGENT_FAULTS];

/** `nth` selects among the runs, or the workspaces, that exist at that instant. */
export type UserAct =
  | { readonly kind: 'submit'; readonly submission: Submission }
  | {
      readonly kind:
        | 'stop'
        | 'kill'
        | 'pause'
        | 'unpause'
        | 'retry-now'
        | 'next'
        | 'answer'
        | 'look';
      readonly nth: number;
    }
  /** Ctrl-C, and again. */
  | { readonly kind: 'stop-then-kill'; readonly nth: number; readonly afterMs: number }
  | { readonly kind: 'fork' | 'follow'; readonly nth: number; readonly place: number };

export type Scenario = {
  readonly seed: number;
  /** No event is drawn after this time; running work ends without faults. */
  readonly horizonMs: number;
  readonly limits: readonly Limit[];
  readonly snapshotEvery: number;
  readonly acts: readonly Timed<UserAct>[];
  readonly faults: readonly Timed<Fault>[];
  /** The probability of each fault in an attempt. */
  readonly agentFaults: { readonly [fault in AgentFault]: number };
  /** Null: no long-lived agents. */
  readonly agents: AgentsScenario | null;
  /** Null: attempts have no trees. */
  readonly trees: TreesScenario | null;
};

export function drawScenario(seed: number, luck: Random): Scenario {
  const horizonMs = randomInt(luck, 60, 900) * 1000;
  const submits = repeat(randomInt(luck, 1, 7), () => ({
    ...drawSubmit(luck),
    atMs: Math.floor(luck() * luck() * horizonMs),
  }));
  const users = repeat(randomInt(luck, 0, 12), () => ({
    ...drawAct(luck),
    atMs: randomInt(luck, 0, horizonMs),
  }));
  // Worlds with one kind of fault and worlds with every kind find different bugs.
  const kinds = FAULTS.filter(() => luck() < 0.4);
  const faults = repeat(kinds.length === 0 ? 0 : randomInt(luck, 1, 8), () => ({
    ...drawFault(luck, kinds[randomInt(luck, 0, kinds.length - 1)] ?? 'owner-crash'),
    atMs: randomInt(luck, 0, horizonMs),
  }));
  // Events at the same moment find more bugs than events spread over an hour.
  const meanwhile = faults.flatMap(({ atMs, kind }) =>
    repeat(randomInt(luck, 0, 2), () => ({
      ...(luck() < (kind === 'disk-full' ? 0.6 : 0.3) ? drawSubmit(luck) : drawAct(luck)),
      atMs: atMs + randomInt(luck, 0, 2),
    })),
  );
  const limits = drawLimits(luck);
  const strikes = faults.map(({ atMs }) => atMs);
  // Drawn from a separate random stream, so that worlds without them stay the same.
  const agents = drawAgents(seededRandom(seed + AGENTS_SEED), { horizonMs, limits, strikes });
  const isAtPeace = agents?.isAtPeace === true;
  return {
    seed,
    horizonMs,
    limits,
    snapshotEvery: randomItem(luck, [1, 2, 3, 5, 10, 2000]),
    acts: [...submits, ...users, ...meanwhile].toSorted((a, b) => a.atMs - b.atMs),
    faults: isAtPeace
      ? []
      : [...faults, ...drawPowerCuts(seed, horizonMs)].toSorted((a, b) => a.atMs - b.atMs),
    agentFaults: isAtPeace ? drawAgentFaults(() => 1) : drawAgentFaults(luck),
    agents,
    trees: drawTrees(seededRandom(seed + TREES_SEED), { horizonMs, isAtPeace }),
  };
}

/** In some worlds a provider limits nearly everything, and all runs wait. */
function drawAgentFaults(luck: Random): Scenario['agentFaults'] {
  const likely = Object.fromEntries(
    AGENT_FAULTS.map((fault) => [fault, luck() < 0.4 ? luck() * 0.4 : 0]),
  ) as Scenario['agentFaults'];
  return luck() < 0.08 ? { ...likely, 'agent-limited': 0.85 } : likely;
}

const AGENTS_SEED = 0xa9e275;
const TREES_SEED = 0x74ee5;

function drawSubmit(luck: Random): UserAct {
  const submission = luck() < 0.55 ? drawAttempts(luck) : drawPuppet(luck);
  return { kind: 'submit', submission };
}

function drawAct(luck: Random): UserAct {
  const nth = randomInt(luck, 0, 1000);
  const place = randomInt(luck, 0, 1000);
  const kind = randomItem(luck, [
    'stop',
    'stop-then-kill',
    'kill',
    'pause',
    'pause',
    'unpause',
    'retry-now',
    'next',
    'next',
    'answer',
    'answer',
    'look',
    'fork',
    'fork',
    'follow',
    'follow',
  ] as const);
  if (kind === 'stop-then-kill') return { kind, nth, afterMs: randomInt(luck, 0, 3000) };
  return kind === 'fork' || kind === 'follow' ? { kind, nth, place } : { kind, nth };
}

function drawLimits(luck: Random): readonly Limit[] {
  const rate = (): Pick<Limit, 'rate'> =>
    luck() < 0.5
      ? {}
      : { rate: { startsMax: randomInt(luck, 1, 3), perMs: randomInt(luck, 1, 60) * 1000 } };
  const attempts = { key: 'attempts', concurrencyMax: randomInt(luck, 1, 4), ...rate() };
  const project = { key: 'project:*', concurrencyMax: randomInt(luck, 1, 2), ofRuns: true };
  const onStage = randomInt(luck, 1, 2);
  return [
    attempts,
    project,
    { key: 'agent:*', concurrencyMax: randomInt(luck, 1, 3) },
    { key: 'stage', concurrencyMax: onStage, ...(onStage === 1 ? { ofRuns: true } : rate()) },
  ];
}

function drawAttempts(luck: Random): Submission {
  const agent = { id: 'virtual', cli: 'virtual', args: [], env: {} };
  const plain = {
    agent,
    graceMs: randomInt(luck, 0, 15_000),
    deadlineMs: luck() < 0.5 ? null : randomInt(luck, 5, 300) * 1000,
    lostMax: randomInt(luck, 0, 3),
    outputBytesMax: 1_000_000,
  };
  // Some are as an older release would have submitted them.
  const settings = luck() < 0.15 ? plain : { ...plain, ...drawRecovery(luck) };
  const project = `/projects/${randomInt(luck, 1, 3)}`;
  return { program: 'attempts', task: 'work', project, settings };
}

const SETUP: NonNullable<AttemptSettings['setup']> = {
  command: ['npm', 'ci'],
  inputs: ['package-lock.json'],
  network: [],
  timeoutMs: 600_000,
};

function drawRecovery(luck: Random): Partial<AttemptSettings> {
  const names = ['one', 'two', 'three', 'four'].slice(0, randomInt(luck, 1, 4));
  const [agent, ...others] = names.map((id) => ({ id, cli: id, args: [], env: {} }));
  if (agent === undefined) return {};
  const gates = repeat(luck() < 0.5 ? 0 : randomInt(luck, 1, 2), () => ({
    name: 'gate',
    command: ['true'],
    timeoutMs: 60_000,
  }));
  return {
    agent,
    chain: [agent, ...others],
    order: randomItem(luck, ['as-listed', 'as-listed', 'round-robin', 'least-used']),
    recovery: {
      preset: randomItem(luck, ['fallback-first', 'retry-then-fallback', 'step-feedback']),
      retriesPerAgent: luck() < 0.7 ? null : randomInt(luck, 0, 2),
      attemptsMax: luck() < 0.5 ? null : randomInt(luck, 1, 6),
      cooldownMs: randomInt(luck, 10, 3600) * 1000,
      waitForReset: luck() < 0.8,
      waitMaxMs: randomInt(luck, 1, 60) * 60_000,
    },
    once: luck() < 0.1,
    ignoreCooldown: luck() < 0.2,
    gates,
    ...(luck() < 0.35 ? { setup: SETUP } : {}),
  };
}

function drawPuppet(luck: Random): Submission {
  return fakeSubmission(
    ...repeat(randomInt(luck, 1, 4), () => repeat(randomInt(luck, 1, 3), () => drawCommand(luck))),
  );
}

function drawCommand(luck: Random): FakeCommand {
  const limits = randomItem(luck, [[], ['stage'], ['stage'], ['attempts', 'stage']]);
  const draw = luck();
  if (draw < 0.55) return { perform: 'dance', limits };
  return draw < 0.85 ? { waitMs: randomInt(luck, 1, 120_000) } : { ask: 'may I?' };
}

function repeat<Item>(times: number, draw: () => Item): Item[] {
  return Array.from({ length: times }, draw);
}
