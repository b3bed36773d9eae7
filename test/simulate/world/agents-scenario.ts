/**
 * The long-lived agents of one world, drawn from its seed: their trees, what people do to them, how
 * they misbehave.
 */
import type { AttemptSettings } from '../../../src/protocol/pinned-settings.ts';
import type { Random } from '../../../src/base/random.ts';
import { randomInt, randomItem } from '../../../src/base/random.ts';
import type { Limit } from '../../../src/engine/limits.ts';
import type { SpawnRequest } from '../../../src/protocol/views/agent-view.ts';
import type { Settings } from '../../../src/settings/settings.ts';
import { defaultSettings } from '../../../src/settings/settings.ts';
import { AGENT_DEFAULTS } from '../../../src/settings/tree-config.ts';
import type { AgentRequest } from '../../../src/settings/tree-config.ts';
import type { TreePlace } from '../../../src/protocol/tree-place.ts';

/** How a turn of such an agent can misbehave, besides the ways of any attempt. */
export const TURN_FAULTS = [
  'agent-lies',
  'agent-silent',
  'agent-aborts',
  'agent-spins',
  'session-corrupt',
] as const;
export type TurnFault = (typeof TURN_FAULTS)[number];

/** `nth` selects among the agents that exist at that instant. */
export type AgentAct =
  | { readonly kind: 'declare'; readonly project: string }
  /** `under`: one of the project's agents, or none. */
  | { readonly kind: 'summon'; readonly request: SpawnRequest; readonly under: number | null }
  | { readonly kind: 'send' | 'urge'; readonly nth: number; readonly text: string }
  | { readonly kind: 'reject' | 'let-go' | 'kill'; readonly nth: number }
  /** A signal that a monitor would send. */
  | { readonly kind: 'issue'; readonly nth: number; readonly about: string }
  | { readonly kind: 'item'; readonly project: string; readonly name: string };

type Drawn = {
  readonly horizonMs: number;
  readonly limits: readonly Limit[];
  readonly strikes: readonly number[];
};

export type AgentsScenario = {
  /** No faults at all in this world. */
  readonly isAtPeace: boolean;
  readonly settings: ReadonlyMap<string, Settings>;
  readonly acts: readonly (AgentAct & { readonly atMs: number })[];
  /** The probability of each fault in a turn. */
  readonly faults: { readonly [fault in TurnFault]: number };
  /**
   * The probability that an agent that is not ready says that it waits for a message, or passes a
   * note on.
   */
  readonly waits: number;
  readonly notes: number;
  /** Why a child is refused. */
  readonly preflight: number;
};

/** The folder of the queue inside a project. */
export const QUEUE = 'tasks';

const LIKELY = 0.3;
/** A lie needs a turn that would report done, and those are few. */
const MOST: { readonly [fault in TurnFault]: number } = {
  'agent-lies': 0.8,
  'agent-silent': 0.4,
  'agent-aborts': 0.4,
  'agent-spins': 0.4,
  'session-corrupt': 0.4,
};
const SECOND_MS = 1000;
const AGAIN_MS = 20 * SECOND_MS;

/** Null: a world with runs only. `strikes`: when the faults of this world occur. */
export function drawAgents(
  random: Random,
  { horizonMs, limits, strikes }: Drawn,
): AgentsScenario | null {
  if (random() >= LIKELY) return null;
  const isAtPeace = random() < 0.2;
  const projects = ['/projects/1', '/projects/2'].slice(0, randomInt(random, 1, 2));
  const settings = new Map(projects.map((project) => [project, drawSettings(random, limits)]));
  const early = (): number => Math.floor(random() * 0.1 * horizonMs);
  const begin = projects.flatMap((project) => [
    { kind: 'declare', project, atMs: early() } as const,
    ...Array.from({ length: randomInt(random, 0, 3) }, (_, nth) => ({
      ...({ kind: 'item', project, name: `first-${nth}` } as const),
      atMs: early(),
    })),
  ]);
  const moments = [
    ...Array.from({ length: randomInt(random, 2, 12) }, () => Math.floor(random() * horizonMs)),
    ...strikes.flatMap((atMs) => (random() < 0.5 ? [atMs + randomInt(random, 0, 3000)] : [])),
  ];
  const others = moments.flatMap((atMs, number) => {
    const act = drawAct(random, randomItem(random, ['/projects/1', ...projects]), number);
    // A user who rejects work once often rejects it again.
    const times = act.kind === 'reject' ? randomInt(random, 1, 5) : 1;
    return Array.from({ length: times }, (_, nth) => ({ ...act, atMs: atMs + nth * AGAIN_MS }));
  });
  return {
    isAtPeace,
    settings,
    acts: [...begin, ...others].toSorted((one, other) => one.atMs - other.atMs),
    faults: Object.fromEntries(
      TURN_FAULTS.map((fault) => [
        fault,
        !isAtPeace && random() < 0.5 ? random() * MOST[fault] : 0,
      ]),
    ) as AgentsScenario['faults'],
    waits: random() * 0.6,
    notes: random() * 0.3,
    preflight: random() < 0.3 ? 0.3 : 0,
  };
}

function drawSettings(random: Random, limits: readonly Limit[]): Settings {
  const isPaid = random() < 0.5; // if a parent has a cap, each child needs one
  const places: TreePlace[] = [];
  const agents: { path: string; request: AgentRequest }[] = [];
  const add = (above: string, request: AgentRequest): void => {
    const path = `${above}${request.name}`;
    places.push({ type: 'agent', path });
    agents.push({ path, request });
  };
  if (random() < 0.6)
    add('', {
      ...drawWish(random, 'chief', isPaid ? [4, 12] : null),
      kind: 'root',
      onDone: 'wait',
    });
  for (let team = 1; team <= randomInt(random, 0, 2); team += 1) {
    const path = `team-${team}`;
    const strategy = randomItem(random, ['one-for-one', 'one-for-all', 'rest-for-one'] as const);
    const intensity = {
      restartsMax: randomInt(random, 0, 4),
      withinMs: randomInt(random, 30, 600) * SECOND_MS,
    };
    places.push({ type: 'supervisor', path, strategy, ...intensity });
    for (let nth = 1; nth <= randomInt(random, 1, 3); nth += 1)
      add(`${path}/`, drawWish(random, `member-${team}-${nth}`, isPaid ? [1, 4] : null));
  }
  if (random() < 0.5) add('', drawWish(random, 'loner', isPaid ? [1, 6] : null));
  return {
    ...defaultSettings,
    tree: { places, agents, depthMax: 3, childrenMax: randomInt(random, 2, 8) },
    // The pinned settings, the same for every agent.
    capacity: pinnedCapacity(limits),
    attempt: {
      ...defaultSettings.attempt,
      graceMs: randomInt(random, 0, 15) * SECOND_MS,
      deadlineMs: random() < 0.6 ? null : randomInt(random, 30, 300) * SECOND_MS,
      interruptionsMax: randomInt(random, 0, 3),
    },
    recovery: {
      ...defaultSettings.recovery,
      cooldownMs: randomInt(random, 10, 600) * SECOND_MS,
      waitMaxMs: randomInt(random, 1, 60) * 60 * SECOND_MS,
    },
    setup:
      random() < 0.35
        ? { command: ['npm', 'ci'], inputs: [], network: [], timeoutMs: 600 * SECOND_MS }
        : null,
  };
}

/** `usd`: the range of its cap; null: no cap. */
function drawWish(
  random: Random,
  name: string,
  usd: readonly [number, number] | null,
): AgentRequest {
  const hasQueue = random() < 0.4;
  const isOwnWay = random() < 0.7;
  return {
    ...AGENT_DEFAULTS,
    name,
    kind: randomItem(random, ['mortal', 'mortal', 'mortal', 'drone']),
    assignment: `be ${name}`,
    commitments: Array.from({ length: randomItem(random, [0, 1, 1, 2]) }, (_, nth) => ({
      what: `promise ${nth + 1}`,
      command: ['true'],
    })),
    onDone: hasQueue ? 'next' : randomItem(random, ['dismiss', 'dismiss', 'wait', 'next']),
    queue: hasQueue
      ? { dir: `./${QUEUE}`, onEmpty: randomItem(random, ['idle', 'hibernate', 'terminate']) }
      : null,
    budget: { ...AGENT_DEFAULTS.budget, usd: usd === null ? null : randomInt(random, ...usd) },
    restart: isOwnWay
      ? {
          type: randomItem(random, ['permanent', 'transient', 'transient', 'temporary']),
          restartsMax: randomInt(random, 0, 3),
          withinMs: randomInt(random, 30, 600) * SECOND_MS,
          backoffBaseMs: randomInt(random, 0, 5) * SECOND_MS,
          backoffMaxMs: randomInt(random, 5, 60) * SECOND_MS,
        }
      : AGENT_DEFAULTS.restart,
    health: {
      spinCalls: 3,
      onSpin: randomItem(random, ['restart', 'restart', 'notify', 'steer', 'pause', 'reap']),
      inactivity: null,
    },
    triggers: { ...AGENT_DEFAULTS.triggers, onGang: randomItem(random, ['ask', 'restart-all']) },
    flags: { perseverance: random() < 0.2, userPresent: random() < 0.5 },
  };
}

function drawAct(random: Random, project: string, number: number): AgentAct {
  const nth = randomInt(random, 0, 1000);
  const kind = randomItem(random, [
    'summon',
    'summon',
    'summon',
    'send',
    'send',
    'send',
    'send',
    'send',
    'send',
    'urge',
    'reject',
    'reject',
    'let-go',
    'kill',
    'issue',
    'item',
    'item',
    'item',
    'declare',
  ] as const);
  switch (kind) {
    case 'declare':
      return { kind, project };
    case 'summon':
      return {
        kind,
        request: drawRequest(random, project),
        under: random() < 0.6 ? nth : null,
      };
    case 'send':
    case 'urge':
      return { kind, nth, text: `letter ${number}.` };
    case 'issue':
      return { kind, nth, about: randomItem(random, ['spinning', 'rules']) };
    case 'reject':
    case 'let-go':
    case 'kill':
      return { kind, nth };
    case 'item':
      return { kind, project, name: `item-${number}` };
  }
}

function drawRequest(random: Random, project: string): SpawnRequest {
  return {
    assignment: 'be summoned',
    project,
    kind: randomItem(random, ['mortal', 'mortal', 'drone', 'root']),
    onDone: randomItem(random, ['dismiss', 'dismiss', 'wait']),
    ...(random() < 0.7 ? { budgetUsd: randomInt(random, 1, 6) } : {}),
    commitments: random() < 0.5 ? [{ what: 'promise 1', command: 'true' }] : [],
  };
}

export function pinnedCapacity(limits: readonly Limit[]): AttemptSettings['capacity'] {
  return {
    runsMax: concurrencyMax(limits, 'project:*'),
    perAgentMax: concurrencyMax(limits, 'agent:*'),
  };
}

function concurrencyMax(limits: readonly Limit[], key: string): number {
  return limits.find((limit) => limit.key === key)?.concurrencyMax ?? 1;
}
