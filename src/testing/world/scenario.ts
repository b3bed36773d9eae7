/** What happens in one world, drawn from its seed before it begins: values, so that it can be printed. */
import type { Luck } from '../../base/luck.ts';
import { drawInt, drawOne, seededLuck } from '../../base/luck.ts';
import type { AttemptSettings } from '../../attempts/attempt.ts';
import type { Limit } from '../../engine/limits.ts';
import type { Submission } from '../../protocol/event.ts';
import type { PuppetCommand } from '../puppet-program.ts';
import { puppetSubmission } from '../puppet-program.ts';
import type { AgentsScenario, TurnFault } from './agents-scenario.ts';
import { drawAgents } from './agents-scenario.ts';

/** What strikes at an instant. Those with `forMs` pass by themselves. */
export type Fault =
  | { readonly kind: 'owner-crash'; readonly downMs: number }
  | { readonly kind: 'crash-before-write'; readonly writes: number; readonly downMs: number }
  | { readonly kind: 'crash-after-write'; readonly writes: number; readonly downMs: number }
  | { readonly kind: 'owner-restart'; readonly downMs: number }
  /** Another owner opens the same state while this one goes on: it has lost its lock, and does not know. */
  | { readonly kind: 'owner-overlap'; readonly forMs: number }
  | { readonly kind: 'disk-full'; readonly forMs: number }
  | { readonly kind: 'slow-disk'; readonly forMs: number; readonly delayMs: number }
  | { readonly kind: 'clock-forward'; readonly ms: number }
  | { readonly kind: 'clock-back'; readonly ms: number }
  | { readonly kind: 'network-outage'; readonly forMs: number };

/** What an agent, or the code that runs it, can be like. */
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

export const FAULT_KINDS: readonly FaultKind[] = [
  'owner-crash',
  'crash-before-write',
  'crash-after-write',
  'owner-restart',
  'owner-overlap',
  'disk-full',
  'slow-disk',
  'clock-forward',
  'clock-back',
  'network-outage',
  ...AGENT_FAULTS,
];

/** `nth` picks among the runs, or the places, that there are at that instant. */
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

type Timed<What> = What & { readonly atMs: number };

export type Scenario = {
  readonly seed: number;
  /** Nothing is drawn to happen after this; what is going on then comes to its end in peace. */
  readonly horizonMs: number;
  readonly limits: readonly Limit[];
  readonly snapshotEvery: number;
  readonly acts: readonly Timed<UserAct>[];
  readonly faults: readonly Timed<Fault>[];
  /** How likely an attempt has each fault. */
  readonly agentFaults: { readonly [fault in AgentFault]: number };
  /** Null: nobody lives long. */
  readonly agents: AgentsScenario | null;
};

export function drawScenario(seed: number, luck: Luck): Scenario {
  const horizonMs = drawInt(luck, 60, 900) * 1000;
  const submits = repeat(drawInt(luck, 1, 7), () => ({
    ...drawSubmit(luck),
    atMs: Math.floor(luck() * luck() * horizonMs),
  }));
  const users = repeat(drawInt(luck, 0, 12), () => ({
    ...drawAct(luck),
    atMs: drawInt(luck, 0, horizonMs),
  }));
  // A world of one kind of trouble and a world of every kind find different bugs.
  const kinds = FAULTS.filter(() => luck() < 0.4);
  const faults = repeat(kinds.length === 0 ? 0 : drawInt(luck, 1, 8), () => ({
    ...drawFault(luck, kinds[drawInt(luck, 0, kinds.length - 1)] ?? 'owner-crash'),
    atMs: drawInt(luck, 0, horizonMs),
  }));
  // Things that meet in one moment find more than things that are spread over an hour.
  const meanwhile = faults.flatMap(({ atMs, kind }) =>
    repeat(drawInt(luck, 0, 2), () => ({
      ...(luck() < (kind === 'disk-full' ? 0.6 : 0.3) ? drawSubmit(luck) : drawAct(luck)),
      atMs: atMs + drawInt(luck, 0, 2),
    })),
  );
  const limits = drawLimits(luck);
  const strikes = faults.map(({ atMs }) => atMs);
  // Chance of their own: a world without them is what it would be if there were none anywhere.
  const agents = drawAgents(seededLuck(seed + AGENTS_SEED), { horizonMs, limits, strikes });
  const isAtPeace = agents?.isAtPeace === true;
  return {
    seed,
    horizonMs,
    limits,
    snapshotEvery: drawOne(luck, [1, 2, 3, 5, 10, 2000]),
    acts: [...submits, ...users, ...meanwhile].toSorted((a, b) => a.atMs - b.atMs),
    faults: isAtPeace ? [] : faults.toSorted((a, b) => a.atMs - b.atMs),
    agentFaults: isAtPeace ? drawAgentFaults(() => 1) : drawAgentFaults(luck),
    agents,
  };
}

/** Some days a provider limits nearly everything, and all wait for all. */
function drawAgentFaults(luck: Luck): Scenario['agentFaults'] {
  const likely = Object.fromEntries(
    AGENT_FAULTS.map((fault) => [fault, luck() < 0.4 ? luck() * 0.4 : 0]),
  ) as Scenario['agentFaults'];
  return luck() < 0.08 ? { ...likely, 'agent-limited': 0.85 } : likely;
}

const AGENTS_SEED = 0xa9e275;

const FAULTS: readonly Fault['kind'][] = [
  'owner-crash',
  'crash-before-write',
  'crash-after-write',
  'owner-restart',
  'owner-overlap',
  'disk-full',
  'slow-disk',
  'clock-forward',
  'clock-back',
  'network-outage',
];

function drawFault(luck: Luck, kind: Fault['kind']): Fault {
  const downMs = drawInt(luck, 0, 20_000);
  switch (kind) {
    case 'owner-crash':
    case 'owner-restart':
      return { kind, downMs };
    case 'crash-before-write':
    case 'crash-after-write':
      return { kind, downMs, writes: drawInt(luck, 1, 6) };
    case 'owner-overlap':
      return { kind, forMs: drawInt(luck, 0, 30_000) };
    case 'disk-full':
      return { kind, forMs: drawInt(luck, 1, 40_000) };
    case 'slow-disk':
      return { kind, forMs: drawInt(luck, 1000, 60_000), delayMs: drawInt(luck, 1, 2000) };
    case 'clock-forward':
    case 'clock-back':
      return { kind, ms: drawInt(luck, 1, 600_000) };
    case 'network-outage':
      return { kind, forMs: drawInt(luck, 1000, 120_000) };
  }
}

function drawSubmit(luck: Luck): UserAct {
  const submission = luck() < 0.55 ? drawAttempts(luck) : drawPuppet(luck);
  return { kind: 'submit', submission };
}

function drawAct(luck: Luck): UserAct {
  const nth = drawInt(luck, 0, 1000);
  const place = drawInt(luck, 0, 1000);
  const kind = drawOne(luck, [
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
  if (kind === 'stop-then-kill') return { kind, nth, afterMs: drawInt(luck, 0, 3000) };
  return kind === 'fork' || kind === 'follow' ? { kind, nth, place } : { kind, nth };
}

function drawLimits(luck: Luck): readonly Limit[] {
  const rate = (): Pick<Limit, 'rate'> =>
    luck() < 0.5
      ? {}
      : { rate: { startsMax: drawInt(luck, 1, 3), perMs: drawInt(luck, 1, 60) * 1000 } };
  const attempts = { key: 'attempts', concurrencyMax: drawInt(luck, 1, 4), ...rate() };
  const project = { key: 'project:*', concurrencyMax: drawInt(luck, 1, 2), ofRuns: true };
  const onStage = drawInt(luck, 1, 2);
  return [
    attempts,
    project,
    { key: 'agent:*', concurrencyMax: drawInt(luck, 1, 3) },
    { key: 'stage', concurrencyMax: onStage, ...(onStage === 1 ? { ofRuns: true } : rate()) },
  ];
}

function drawAttempts(luck: Luck): Submission {
  const agent = { id: 'virtual', cli: 'virtual', args: [], env: {} };
  const plain = {
    agent,
    graceMs: drawInt(luck, 0, 15_000),
    deadlineMs: luck() < 0.5 ? null : drawInt(luck, 5, 300) * 1000,
    lostMax: drawInt(luck, 0, 3),
    outputBytesMax: 1_000_000,
  };
  // Some are as an older release would have submitted them.
  const settings = luck() < 0.15 ? plain : { ...plain, ...drawRecovery(luck) };
  const project = `/projects/${drawInt(luck, 1, 3)}`;
  return { program: 'attempts', task: 'work', project, settings };
}

const SETUP: NonNullable<AttemptSettings['setup']> = {
  command: ['npm', 'ci'],
  inputs: ['package-lock.json'],
  network: [],
  timeoutMs: 600_000,
};

function drawRecovery(luck: Luck): Partial<AttemptSettings> {
  const names = ['one', 'two', 'three', 'four'].slice(0, drawInt(luck, 1, 4));
  const [agent, ...others] = names.map((id) => ({ id, cli: id, args: [], env: {} }));
  if (agent === undefined) return {};
  const gates = repeat(luck() < 0.5 ? 0 : drawInt(luck, 1, 2), () => ({
    name: 'gate',
    command: ['true'],
    timeoutMs: 60_000,
  }));
  return {
    agent,
    chain: [agent, ...others],
    order: drawOne(luck, ['as-listed', 'as-listed', 'round-robin', 'least-used']),
    recovery: {
      preset: drawOne(luck, ['fallback-first', 'retry-then-fallback', 'step-feedback']),
      retriesPerAgent: luck() < 0.7 ? null : drawInt(luck, 0, 2),
      attemptsMax: luck() < 0.5 ? null : drawInt(luck, 1, 6),
      cooldownMs: drawInt(luck, 10, 3600) * 1000,
      waitForReset: luck() < 0.8,
      waitMaxMs: drawInt(luck, 1, 60) * 60_000,
    },
    once: luck() < 0.1,
    ignoreCooldown: luck() < 0.2,
    gates,
    ...(luck() < 0.35 ? { setup: SETUP } : {}),
  };
}

function drawPuppet(luck: Luck): Submission {
  return puppetSubmission(
    ...repeat(drawInt(luck, 1, 4), () => repeat(drawInt(luck, 1, 3), () => drawCommand(luck))),
  );
}

function drawCommand(luck: Luck): PuppetCommand {
  const limits = drawOne(luck, [[], ['stage'], ['stage'], ['attempts', 'stage']]);
  const draw = luck();
  if (draw < 0.55) return { perform: 'dance', limits };
  return draw < 0.85 ? { waitMs: drawInt(luck, 1, 120_000) } : { ask: 'may I?' };
}

function repeat<Item>(times: number, draw: () => Item): Item[] {
  return Array.from({ length: times }, draw);
}
