/**
 * The events of one world, drawn from its seed before it begins. They are plain values, so they can
 * be printed.
 */
import { PINNED_DEFAULTS } from '../../support/pinned-defaults.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem, seededRandom } from '../../../src/base/random.ts';
import type { Limit } from '../../../src/engine/limits.ts';
import type { Submission } from '../../../src/protocol/run-submission.ts';
import type { FakeCommand } from '../../../src/testing/fakes/fake-program.ts';
import { fakeSubmission } from '../../../src/testing/fakes/fake-program.ts';
import type { AgentsScenario, TurnFault } from './agents-scenario.ts';
import { drawAgents, pinnedCapacity } from './agents-scenario.ts';
import type { Fault, Timed } from './machine-faults.ts';
import { drawFault, drawPowerCuts, FAULTS } from './machine-faults.ts';
import type { TreesScenario } from './trees-scenario.ts';
import { drawTrees } from './trees-scenario.ts';
import type { AttemptSettings } from '../../../src/protocol/pinned-settings.ts';

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
  'agent-restarts-exhausted',
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
  /** Each attempt notes what a model call cost. Absent: it notes none. */
  readonly spends?: boolean;
  /** Null: no long-lived agents. */
  readonly agents: AgentsScenario | null;
  /** Null: attempts have no trees. */
  readonly trees: TreesScenario | null;
};

export function drawScenario(seed: number, random: Random): Scenario {
  const horizonMs = randomInt(random, 60, 900) * 1000;
  const submits = repeat(randomInt(random, 1, 7), () => ({
    ...drawSubmit(random),
    atMs: Math.floor(random() * random() * horizonMs),
  }));
  const users = repeat(randomInt(random, 0, 12), () => ({
    ...drawAct(random),
    atMs: randomInt(random, 0, horizonMs),
  }));
  // Worlds with one kind of fault and worlds with every kind find different bugs.
  const kinds = FAULTS.filter(() => random() < 0.4);
  const faults = repeat(kinds.length === 0 ? 0 : randomInt(random, 1, 8), () => ({
    ...drawFault(random, kinds[randomInt(random, 0, kinds.length - 1)] ?? 'owner-crash'),
    atMs: randomInt(random, 0, horizonMs),
  }));
  // Events at the same moment find more bugs than events spread over an hour.
  const meanwhile = faults.flatMap(({ atMs, kind }) =>
    repeat(randomInt(random, 0, 2), () => ({
      ...(random() < (kind === 'disk-full' ? 0.6 : 0.3) ? drawSubmit(random) : drawAct(random)),
      atMs: atMs + randomInt(random, 0, 2),
    })),
  );
  const limits = drawLimits(random);
  const strikes = faults.map(({ atMs }) => atMs);
  // Drawn from a separate random stream, so that worlds without them stay the same.
  const agents = drawAgents(seededRandom(seed + AGENTS_SEED), { horizonMs, limits, strikes });
  const isAtPeace = agents?.isAtPeace === true;
  return {
    seed,
    horizonMs,
    limits,
    snapshotEvery: randomItem(random, [1, 2, 3, 5, 10, 2000]),
    acts: [...submits, ...users, ...meanwhile]
      .map((act) => withCapacity(act, limits))
      .toSorted((a, b) => a.atMs - b.atMs),
    faults: isAtPeace
      ? []
      : [...faults, ...drawPowerCuts(seed, horizonMs)].toSorted((a, b) => a.atMs - b.atMs),
    agentFaults: isAtPeace ? drawAgentFaults(() => 1) : drawAgentFaults(random),
    agents,
    trees: drawTrees(seededRandom(seed + TREES_SEED), { horizonMs, isAtPeace }),
  };
}

/** The runs pin the limits of the world, as the runs of one configuration do. */
function withCapacity<Act extends UserAct>(act: Act, limits: readonly Limit[]): Act {
  return act.kind === 'submit' ? { ...act, submission: pinCapacity(act.submission, limits) } : act;
}

export function pinCapacity(submission: Submission, limits: readonly Limit[]): Submission {
  if (submission.program !== 'attempts') return submission;
  const settings = { ...submission.settings, capacity: pinnedCapacity(limits) };
  return { ...submission, settings };
}

/** In some worlds a provider limits nearly everything, and all runs wait. */
function drawAgentFaults(random: Random): Scenario['agentFaults'] {
  const likely = Object.fromEntries(
    AGENT_FAULTS.map((fault) => [fault, random() < 0.4 ? random() * 0.4 : 0]),
  ) as Scenario['agentFaults'];
  return random() < 0.08 ? { ...likely, 'agent-limited': 0.85 } : likely;
}

const AGENTS_SEED = 0xa9e275;
const TREES_SEED = 0x74ee5;

function drawSubmit(random: Random): UserAct {
  const submission = random() < 0.55 ? drawAttempts(random) : drawPuppet(random);
  return { kind: 'submit', submission };
}

function drawAct(random: Random): UserAct {
  const nth = randomInt(random, 0, 1000);
  const place = randomInt(random, 0, 1000);
  const kind = randomItem(random, [
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
  if (kind === 'stop-then-kill') return { kind, nth, afterMs: randomInt(random, 0, 3000) };
  return kind === 'fork' || kind === 'follow' ? { kind, nth, place } : { kind, nth };
}

function drawLimits(random: Random): readonly Limit[] {
  const rate = (): Pick<Limit, 'rate'> =>
    random() < 0.5
      ? {}
      : { rate: { startsMax: randomInt(random, 1, 3), perMs: randomInt(random, 1, 60) * 1000 } };
  const attempts = { key: 'attempts', concurrencyMax: randomInt(random, 1, 4), ...rate() };
  const project = { key: 'project:*', concurrencyMax: randomInt(random, 1, 2), countsRuns: true };
  const onStage = randomInt(random, 1, 2);
  return [
    attempts,
    project,
    { key: 'agent:*', concurrencyMax: randomInt(random, 1, 3) },
    { key: 'stage', concurrencyMax: onStage, ...(onStage === 1 ? { countsRuns: true } : rate()) },
  ];
}

export function drawAttempts(random: Random): Submission {
  const agent = { id: 'virtual', cli: 'virtual', args: [], env: {} };
  const plain = {
    ...PINNED_DEFAULTS,
    agent,
    graceMs: randomInt(random, 0, 15_000),
    deadlineMs: random() < 0.5 ? null : randomInt(random, 5, 300) * 1000,
    interruptionsMax: randomInt(random, 0, 3),
    outputBytesMax: 1_000_000,
  };
  const settings = random() < 0.15 ? plain : { ...plain, ...drawRecovery(random) };
  const project = `/projects/${randomInt(random, 1, 3)}`;
  return { program: 'attempts', task: 'work', project, settings };
}

const SETUP: NonNullable<AttemptSettings['setup']> = {
  command: ['npm', 'ci'],
  inputs: ['package-lock.json'],
  network: [],
  timeoutMs: 600_000,
};

function drawRecovery(random: Random): Partial<AttemptSettings> {
  const names = ['one', 'two', 'three', 'four'].slice(0, randomInt(random, 1, 4));
  const [agent, ...others] = names.map((id) => ({ id, cli: id, args: [], env: {} }));
  if (agent === undefined) return {};
  const gates = repeat(random() < 0.5 ? 0 : randomInt(random, 1, 2), () => ({
    name: 'gate',
    command: ['true'],
    timeoutMs: 60_000,
  }));
  return {
    agent,
    chain: [agent, ...others],
    order: randomItem(random, ['as-listed', 'as-listed', 'round-robin', 'least-used']),
    recovery: {
      preset: randomItem(random, ['fallback-first', 'retry-then-fallback', 'step-feedback']),
      retriesPerAgent: random() < 0.7 ? null : randomInt(random, 0, 2),
      attemptsMax: random() < 0.5 ? null : randomInt(random, 1, 6),
      cooldownMs: randomInt(random, 10, 3600) * 1000,
      waitForReset: random() < 0.8,
      waitMaxMs: randomInt(random, 1, 60) * 60_000,
    },
    once: random() < 0.1,
    ignoreCooldown: random() < 0.2,
    gates,
    ...(random() < 0.35 ? { setup: SETUP } : {}),
    ...(random() < 0.6 ? { baseline: true } : {}),
  };
}

function drawPuppet(random: Random): Submission {
  return fakeSubmission(
    ...repeat(randomInt(random, 1, 4), () =>
      repeat(randomInt(random, 1, 3), () => drawCommand(random)),
    ),
  );
}

export function drawCommand(random: Random): FakeCommand {
  const limits = randomItem(random, [[], ['stage'], ['stage'], ['attempts', 'stage']]);
  const draw = random();
  if (draw < 0.55) return { perform: 'dance', limits };
  return draw < 0.85 ? { waitMs: randomInt(random, 1, 120_000) } : { ask: 'may I?' };
}

export function repeat<Item>(times: number, draw: () => Item): Item[] {
  return Array.from({ length: times }, draw);
}
