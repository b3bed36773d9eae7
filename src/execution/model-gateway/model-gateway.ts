/** Opens the gateway of one attempt: the agent's only way to a model. The agent has a token, and no key. */
import { defined } from '../../base/defined.ts';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import { randomInt } from '../../base/random.ts';
import { isCostCapped } from '../../gateway/budget/budget-ledger.ts';
import { localBudget } from '../../gateway/budget/call-budget.ts';
import type { CallSlots } from '../../gateway/calls/call-slots.ts';
import type { GatewayFact } from '../../gateway/gateway-facts.ts';
import type { ChannelClosed } from '../../gateway/channel/owner-side.ts';
import type { GatewayProcesses } from '../../gateway/process/gateway-processes.ts';
import type { Upstreams } from '../../gateway/network/upstreams.ts';
import { checkUpstreams } from '../../gateway/network/check-upstreams.ts';
import { missingKeys } from '../../gateway/network/upstreams.ts';
import { SET_KEY } from '../../protocol/views/answer-advice.ts';
import type { BudgetNote } from '../../protocol/views/budget-view.ts';
import type { AgentActivity } from '../../protocol/activity.ts';
import type { Settings } from '../../settings/settings.ts';
import { redactValue } from '../../redaction/redact-value.ts';
import type { Redactor } from '../../redaction/redactor.ts';
import type { ModelCall } from '../../failures/evidence.ts';
import type { ObservedCalls } from './model-calls.ts';
import { foldCalls, isGivenUp } from './model-calls.ts';
import { effectiveCap } from './run-budgets.ts';
import type { RunBudgets } from './run-budgets.ts';
import { agentRedactor } from '../environments/agent-secrets.ts';
import { activityOfFact } from '../report-activity.ts';
import { Receipts } from '../messages/receipts.ts';
import { HeldCalls } from './note-held-call.ts';
import { NoteQueue } from './note-queue.ts';
import { SpendingRecorder } from './record-spending.ts';
import { tunnelActivity, tunnelHosts } from './tunnels.ts';
import type { AttemptNote } from '../../protocol/contracts/attempt-contract.ts';

/** Disposal ends every call, and resolves when all notes are recorded. */
export type ModelGateway = AsyncDisposable & {
  /** Removes the token and every secret that the agent received. */
  readonly redactor: Redactor;
  readonly socket: string;
  readonly token: string;
  /** Call it after the agent's end. It waits a bounded time for calls that are still open. */
  readonly calls: () => Promise<readonly ModelCall[]>;
  /** See `AttemptEnvironment`. */
  readonly giveUpSignal: AbortSignal;
  /** What the gateway saw of the messages to the agent. */
  readonly receipts: Receipts;
  /** Why the gateway's process ended before the attempt did; null: it has not. */
  readonly failure: () => string | null;
};

export type GatewayRequest = {
  readonly cli: string;
  readonly model: string | null;
  readonly settings: Settings['gateway'];
  readonly upstreams: Upstreams;
  readonly slots: CallSlots;
  /** Whether another agent could take over at once. */
  readonly replaceable: boolean;
  readonly budget: Settings['budget'];
  readonly budgets: RunBudgets;
  /** Resolves when the run is not paused. */
  readonly mayCall: (signal: AbortSignal) => Promise<void>;
  /** Values that must not be stored, besides the credentials of the upstreams and the token. */
  readonly secrets: readonly string[];
  /** Stores bytes of the recording; null: nothing is recorded. */
  readonly record: ((bytes: Uint8Array) => Promise<void>) | null;
  readonly note: (note: AttemptNote) => Promise<void>;
  /** Other hosts that the agent may reach: `name:port`. */
  readonly hosts: readonly string[];
  /** Receives the agent's spending, and the hosts that it tries to reach. */
  readonly onActivity?: (activity: AgentActivity) => void;
};

export type GatewayLocation = {
  readonly clock: Clock;
  readonly gateways: Pick<GatewayProcesses, 'take'>;
  readonly random: Random;
  /** Private to the owner, and short: the path of a socket has at most about a hundred bytes. */
  readonly socketDir: string;
  /** Distinguishes our sockets from those of another owner in the same folder. */
  readonly homeId: string;
};

/** How long to wait for the last facts. The gateway notices the end of an agent's connections quickly. */
const LAST_FACTS_MS = 5000;
/** Concurrent calls of one attempt. A higher limit of the project counts instead. */
const CALLS_MAX = 64;
const TOKEN_DIGITS = 48;
const NAME_DIGITS = 6;
const PREFIX_DIGITS = 4;
const NAMES_MAX = 50;
/**
 * CLIs write their conversation in the background, some only after their next call. An agent that is stopped at once
 * after a refused call has none on disk, and the attempt that continues after the answer would begin from the start.
 */
const STORE_CONVERSATION_MS = 1000;
const NAME_CHARS_MAX = 100;

export async function openGateway(
  request: GatewayRequest,
  ports: GatewayLocation,
): Promise<ModelGateway> {
  const { clock, random } = ports;
  const { cli, model, settings, upstreams, slots, budgets, note } = request;
  const missing = missingKeys(cli, upstreams);
  if (missing.length > 0) throw missingKeyRefusal(cli, missing);
  checkUpstreams(upstreams, settings.privateHosts);
  const token = `sv-${digits(random, TOKEN_DIGITS)}`;
  const socket = newSocketPath(ports);
  const giveUp = new AbortController();
  const closed = new AbortController();
  let isDecided = false;
  const decide = (): void => {
    isDecided = true;
    giveUp.abort();
  };
  const credentials = Object.values(upstreams).map(({ credential }) => credential.value);
  const secrets = [...request.secrets, ...credentials, token];
  const redactor = agentRedactor(secrets);
  const clean = (text: string): string => redactor.text(text);
  const spending = new SpendingRecorder(note);
  let observed: ObservedCalls = new Map();
  const facts = new EventTarget();
  const hasOpenCall = (): boolean =>
    !isDecided && [...observed.values()].some(({ ended }) => !ended);
  let overBudget: Promise<void> | undefined;
  const notes = new NoteQueue(note);
  const turns = new NoteQueue(async (turn) => note(await redactValue(redactor, turn)));
  const heldCalls = new HeldCalls();
  const removed = new Set<string>();
  const process = ports.gateways.take(settings.requestBytesMax);
  const receipts = new Receipts(process);
  let failure: string | null = null;
  const watch = async (): Promise<void> => {
    failure = clean(await process.failed);
    decide();
  };
  void watch();
  const notStarted = await process.start(
    {
      socket,
      token,
      upstreams,
      model,
      plainCalls: cli === 'custom' ? 'work' : 'side',
      limitPatienceMs: settings.limitPatienceMs,
      outage: { patienceMs: settings.outagePatienceMs, replaceable: request.replaceable },
      unpriced: budgets.unpriced,
      costCapped: budgets.pools.some(({ ledger }) => isCostCapped(ledger.caps)),
      prices: settings.prices,
      serverTools: settings.serverTools,
      bounds: {
        firstByteMs: settings.silenceMs,
        silenceMs: settings.silenceMs,
        requestBytesMax: settings.requestBytesMax,
        callsMax: Math.max(CALLS_MAX, settings.callsPerProject),
      },
      tunnels: tunnelHosts(request.hosts, settings.privateHosts),
      privateHosts: settings.privateHosts,
      recording: request.record === null ? null : { bytesMax: settings.recordBytesMax, secrets },
    },
    {
      budget: localBudget(budgets.pools, clock, {
        reserved: (call, estimate) => spending.begin(call, estimate),
        settled: (call, cost) => spending.end(call, cost),
      }),
      slots,
      mayCall: request.mayCall,
      onFact: (fact) => {
        for (const activity of activityOfFact(fact, budgets.pools, clock, clean))
          request.onActivity?.(activity);
        // Calls that the agent makes after the decision, while it exits, are not the cause of its end.
        if (!isDecided) observed = foldCalls(observed, fact);
        facts.dispatchEvent(new Event('fact'));
        receipts.take(fact);
        const isDecisive =
          (fact.kind === 'provider-refused' || fact.kind === 'call-ended') && fact.decisive;
        if (isDecisive || isGivenUp(observed)) decide();
        if (fact.kind === 'request-reduced') noteRemoved(removed, fact, notes);
        if (fact.kind === 'usage-windows') notes.add(quotaNote(fact));
        if (fact.kind === 'call-held') {
          const held = heldCalls.note(fact, clean);
          if (held !== undefined) notes.add(held);
        }
        if (fact.kind === 'turn') turns.add({ kind: 'turn', turn: fact.turn });
        if (fact.kind === 'budget-exhausted') {
          overBudget ??= note(overBudgetNote(fact, cappedBudget(request)));
          isDecided = true;
          void clock
            .sleep(STORE_CONVERSATION_MS, closed.signal)
            .then((slept) => slept && giveUp.abort());
        }
      },
      onTunnel: (fact) => {
        for (const activity of tunnelActivity(fact)) request.onActivity?.(activity);
      },
      onRecord: async (bytes) => request.record?.(bytes),
    },
  );
  if (notStarted !== null) {
    await process.kill();
    throw gatewayFailed(clean(notStarted));
  }
  return {
    socket,
    token,
    calls: async () => {
      const over = new AbortController();
      const bound = clock.sleep(LAST_FACTS_MS, over.signal);
      facts.addEventListener('fact', () => !hasOpenCall() && over.abort(), {
        signal: over.signal,
      });
      if (hasOpenCall()) await bound;
      over.abort();
      return [...observed.values()];
    },
    giveUpSignal: giveUp.signal,
    receipts,
    failure: () => failure,
    redactor,
    [Symbol.asyncDispose]: async () => {
      closed.abort();
      const { recorded, defect } = await process.close();
      const why = failure ?? (defect === null ? null : clean(defect));
      if (why !== null) await note({ kind: 'gateway-failed', message: why });
      if (recorded !== null) await note(recordedNote(recorded));
      await Promise.all([spending.recorded(), overBudget, notes.recorded(), turns.recorded()]);
    },
  };
}

/** A CLI asks for the same parts in every call, so that each removed name is noted once. */
function noteRemoved(
  noted: Set<string>,
  { removed }: Extract<GatewayFact, { kind: 'request-reduced' }>,
  notes: NoteQueue,
): void {
  const names = removed.filter((name) => !noted.has(name)).slice(0, NAMES_MAX);
  if (names.length === 0 || noted.size >= NAMES_MAX) return;
  for (const name of names) noted.add(name);
  notes.add({ kind: 'removed', names: names.map((name) => name.slice(0, NAME_CHARS_MAX)) });
}

function overBudgetNote(
  { scope, limit, because, call, needs }: Extract<GatewayFact, { kind: 'budget-exhausted' }>,
  budget: Settings['budget'],
): BudgetNote {
  const cap = effectiveCap(budget[scope], limit) ?? 0;
  const model = because === 'price-unknown' ? { model: call.model.slice(0, NAME_CHARS_MAX) } : {};
  return { kind: 'over-budget', scope, limit, because, cap, ...defined({ needs }), ...model };
}

/** With the cap on tokens that a person has set since. */
function cappedBudget({
  budget,
  budgets: { tokensCap = null },
}: GatewayRequest): Settings['budget'] {
  if (tokensCap === null) return budget;
  return { ...budget, run: { ...budget.run, tokens: tokensCap } };
}

function quotaNote({
  wire,
  status,
  windows,
}: Extract<GatewayFact, { kind: 'usage-windows' }>): AttemptNote {
  return { kind: 'quota', wire, status, windows: windows.map((window) => ({ ...window })) };
}

function recordedNote({
  written,
  leftOut,
  failure,
}: NonNullable<ChannelClosed['recorded']>): AttemptNote {
  const why = failure === undefined ? {} : { failure };
  return { kind: 'recorded', calls: written, leftOut, ...why };
}

/** A new path for the socket that leads out of one sandbox. */
export function newSocketPath({
  random,
  socketDir,
  homeId,
}: Pick<GatewayLocation, 'random' | 'socketDir' | 'homeId'>): string {
  return join(socketDir, `${homePrefix(homeId)}${digits(random, NAME_DIGITS)}.s`);
}

/** Matches the socket names of one owner's gateways. */
export function gatewaySocketPath(homeId: string): RegExp {
  return new RegExp(`^${homePrefix(homeId)}[0-9a-f]{${NAME_DIGITS}}\\.s$`);
}

function homePrefix(homeId: string): string {
  return homeId.slice(0, PREFIX_DIGITS);
}

function digits(random: Random, count: number): string {
  return Array.from({ length: count }, () => randomInt(random, 0, 15).toString(16)).join('');
}

function gatewayFailed(why: string): Refusal {
  return new Refusal({
    code: 'gateway.failed',
    message: `The gateway of this attempt did not start: ${why}.`,
    hint: 'See whether this machine has memory and processes left, then resume the run.',
  });
}

export function missingKeyRefusal(cli: string, missing: readonly string[]): Refusal {
  return new Refusal({
    code: 'agent.no-key',
    message: `${cli} can reach no model: your shell has no ${missing.join(' and no ')}, and ${cli} has no login that works in a sandbox.`,
    hint: SET_KEY,
  });
}
