/** Invariants of every run of the attempt loop, checked on its facts alone. */
import { failureClass } from '../../../src/failures/failure.ts';
import { agentIdentity } from '../../../src/attempts/choice/identity.ts';
import { isLimitedStart } from '../../../src/attempts/choice/limit-series.ts';
import { recoveryPolicy } from '../../../src/attempts/choice/presets.ts';
import { baseNotJudged, judgedTwice, triedInVain } from './gate-rules.ts';
import { runHistory, groupByRun } from './lineage.ts';
import type { Fact, WorldRecord } from './record.ts';
import type {
  AttemptOutcome,
  FailureClass,
} from '../../../src/protocol/contracts/attempt-contract.ts';
import type { Command } from '../../../src/protocol/commands.ts';
import type { AttemptSettings } from '../../../src/protocol/pinned-settings.ts';

export type Invariant = {
  readonly name: string;
  /** The violations, one sentence each; empty if the rule holds. */
  readonly breaches: (record: WorldRecord) => readonly string[];
};

type Tried = {
  readonly key: string;
  readonly identity: string;
  readonly begun: Fact;
  readonly ended: Fact | null;
  readonly outcome: AttemptOutcome | 'interrupted' | 'defect' | null;
  /** The facts between its beginning and that of the next one. */
  readonly between: readonly Fact[];
};

type Run = {
  readonly run: string;
  readonly settings: AttemptSettings;
  readonly history: readonly Fact[];
  readonly tried: readonly Tried[];
};

/**
 * Some commands are repeated without a bound, or have their own count. A fork loses its place in a
 * wait, which costs nothing.
 */
const NOT_COUNTED: ReadonlySet<Command> = new Set(['finalize', 'setup', 'baseline', 'wait', 'ask']);

export const ATTEMPT_RULES: readonly Invariant[] = [
  rule('no attempt begins before its setup, which is done once', (run) => unready(run)),
  rule('interrupted attempts are bounded', ({ history, settings, run }) => {
    const lost = history.filter(
      (fact) =>
        fact.type === 'command.ended' &&
        fact.payload.end.kind === 'interrupted' &&
        !NOT_COUNTED.has(fact.payload.command),
    ).length;
    const { interruptionsMax } = settings;
    if (lost > interruptionsMax + 1)
      return [`run ${run}: interrupted ${lost} times, ${interruptionsMax} are allowed`];
    const last = history.at(-1);
    const isWrong =
      last?.type === 'run.ended' &&
      /^(?!the (?:setup|baseline)).* because the owner ended/.test(last.payload.outcome.reason) &&
      lost <= interruptionsMax &&
      settings.once !== true;
    return isWrong ? [`run ${run}: given up after ${lost} interruptions`] : [];
  }),
  rule('attempts are bounded, even if owners die', ({ tried, settings, run }) => {
    const { attemptsMax } = recoveryPolicy(settings.recovery);
    const counted = tried.filter((one) => !isLimitedAtOnce(one)).length;
    return counted <= attemptsMax
      ? []
      : [`run ${run}: ${counted} attempts, ${attemptsMax} are allowed`];
  }),
  {
    name: 'a limit is not tried again before its end',
    breaches: (record) => attemptRuns(record).flatMap((run) => hastyRetries(run, record)),
  },
  rule('an identity that failed is not tried again', ({ tried, settings, run }) => {
    const { retriesPerAgent, crashRestarts } = recoveryPolicy(settings.recovery);
    if (retriesPerAgent + crashRestarts > 0) return [];
    return tried.flatMap((one, place) => {
      const isOver = findFailure(one) !== null && !mayComeBack(one);
      const again = isOver
        ? tried.slice(place + 1).find((next) => next.identity === one.identity)
        : undefined;
      return again === undefined ? [] : [`run ${run}: ${again.key} tries ${one.identity} again`];
    });
  }),
  rule('a spent budget waits for a person', ({ tried, run }) =>
    tried.flatMap((one, place) => {
      const next = tried[place + 1];
      const isSpent = typeof one.outcome === 'object' && failureReason(one) === 'budget';
      const isAsked = one.between.some(
        (fact) => fact.type === 'signal.received' && fact.payload.signal.kind === 'answer',
      );
      return next === undefined || !isSpent || isAsked
        ? []
        : [`run ${run}: ${next.key} began on a spent budget`];
    }),
  ),
  rule('every gate judges the base once, before the first attempt', (run) => baseNotJudged(run)),
  rule('no red gate runs again on the same files, unless its agent is stuck', (run) =>
    judgedTwice(run),
  ),
  rule('an agent that changes nothing is not tried a third time', (run) => triedInVain(run)),
  rule('a successful run was verified, and a run without gates is unverified', (run) =>
    unproven(run),
  ),
];

function rule(name: string, breaches: (run: Run) => readonly string[]): Invariant {
  return { name, breaches: (record) => attemptRuns(record).flatMap(breaches) };
}

function attemptRuns({ facts }: WorldRecord): readonly Run[] {
  const runs = groupByRun(facts);
  return [...runs.keys()].flatMap((run) => {
    const history = runHistory(runs, run);
    const [first] = history;
    if (first?.type !== 'run.submitted' || first.payload.program !== 'attempts') return [];
    const { settings } = first.payload;
    return [{ run, settings, history, tried: triedIn(history) }];
  });
}

function triedIn(history: readonly Fact[]): readonly Tried[] {
  const begins = history.flatMap((fact, place) =>
    fact.type === 'command.begun' && fact.payload.command === 'attempt'
      ? [{ fact, place, key: fact.payload.key, agent: fact.payload.input.agent }]
      : [],
  );
  return begins.map(({ fact, place, key, agent }, nth) => {
    const ended = history.find((one) => one.type === 'command.ended' && one.payload.key === key);
    const end =
      ended?.type === 'command.ended' && ended.payload.command === 'attempt'
        ? ended.payload.end
        : null;
    return {
      key,
      identity: agentIdentity(agent),
      begun: fact,
      ended: ended ?? null,
      outcome: end?.kind === 'done' ? end.result : (end?.kind ?? null),
      between: history.slice(place + 1, begins[nth + 1]?.place),
    };
  });
}

function findFailure({ outcome }: Tried): FailureClass | null {
  if (outcome === 'defect') return failureClass('crashed');
  if (outcome === null || outcome === 'interrupted' || outcome.kind !== 'failed') return null;
  return outcome.failure ?? failureClass(outcome.reason);
}

/** A limit before any work. Time bounds such attempts. */
function isLimitedAtOnce({ key, outcome, between }: Tried): boolean {
  if (outcome === null || typeof outcome !== 'object') return false;
  const hasTurns = between.some(
    ({ type, payload }) =>
      type === 'command.noted' &&
      payload.key === key &&
      payload.command === 'attempt' &&
      payload.note.kind === 'turn',
  );
  return isLimitedStart(outcome, hasTurns);
}

function failureReason({ outcome }: Tried): string | null {
  return typeof outcome === 'object' && outcome?.kind === 'failed' ? outcome.reason : null;
}

/**
 * A limit passes, a question or a budget is answered, or a broken conversation is replaced by a new
 * one.
 */
function mayComeBack(one: Tried): boolean {
  const { begun } = one;
  if (
    begun.type === 'command.begun' &&
    begun.payload.command === 'attempt' &&
    typeof begun.payload.input.resume === 'string'
  )
    return true;
  const reason = failureReason(one);
  return findFailure(one)?.coolsDown === true || reason === 'needs_input' || reason === 'budget';
}

/** Unless a user sent retry-now, or set the clock meanwhile. */
function hastyRetries({ run, tried, settings }: Run, { eras }: WorldRecord): readonly string[] {
  const { cooldownMs, limitWaitsMs } = recoveryPolicy(settings.recovery);
  return tried.flatMap((one, place) => {
    const { outcome, ended, between } = one;
    if (ended === null || findFailure(one)?.coolsDown !== true) return [];
    if (typeof outcome !== 'object' || outcome?.kind !== 'failed') return [];
    const least = Math.min(cooldownMs, ...limitWaitsMs);
    const until = outcome.failure?.resetAt ?? ended.at + least;
    const later = tried.slice(place + 1);
    const again = later.find(({ identity }) => identity === one.identity);
    if (again === undefined || again.begun.at >= until) return [];
    const isSkipped = [one, ...later]
      .flatMap((other) => (other === one ? between : other.between))
      .some((fact) => fact.type === 'signal.received' && fact.payload.signal.kind === 'retry-now');
    const isClockSet = eras.some(
      ({ fromMs }) => fromMs >= ended.elapsedMs && fromMs <= again.begun.elapsedMs,
    );
    return isSkipped || isClockSet
      ? []
      : [`run ${run}: ${again.key} began ${until - again.begun.at} ms before the limit was over`];
  });
}

/** An interrupted setup is repeated as often as an attempt is. */
function unready({ run, history, settings }: Run): readonly string[] {
  if ((settings.setup ?? null) === null) return [];
  const wrong: string[] = [];
  let isReady = false;
  let lost = 0;
  for (const fact of history) {
    if (fact.type === 'command.begun') {
      const { command, key } = fact.payload;
      if (command === 'attempt' && !isReady) wrong.push(`run ${run}: ${key} began without a setup`);
      if (command === 'setup' && isReady) wrong.push(`run ${run}: ${key} does again what is ready`);
    } else if (fact.type === 'command.ended' && fact.payload.command === 'setup') {
      const { end } = fact.payload;
      if (end.kind === 'interrupted') lost += 1;
      isReady ||= end.kind === 'done' && end.result.kind === 'ready';
    }
  }
  if (lost > settings.interruptionsMax + 1)
    wrong.push(`run ${run}: its setup was interrupted ${lost} times`);
  return wrong;
}

function unproven({ run, history, settings, tried }: Run): readonly string[] {
  const last = history.at(-1);
  if (last?.type !== 'run.ended') return [];
  const { kind } = last.payload.outcome;
  const declared = settings.gates?.length ?? 0;
  const green = (tried.at(-1)?.between ?? []).filter(
    (fact) =>
      fact.type === 'command.ended' &&
      fact.payload.command === 'gate' &&
      fact.payload.end.kind === 'done' &&
      fact.payload.end.result.kind === 'passed',
  ).length;
  if (kind === 'succeeded' && (declared === 0 || green < declared))
    return [`run ${run}: succeeded with ${green} of ${declared} gates green`];
  return kind === 'unverified' && declared > 0 ? [`run ${run}: its gates did not run`] : [];
}
