/**
 * What happened in a run, as the attempts, gates, waits and questions that its facts tell of. Everything
 * that explains a run to somebody is computed from this, so that all explanations agree.
 */
import type { CommandEnd, Payload, StoredEvent, Submission } from './event.ts';
import { isLifeSignal, runOfStream } from './event.ts';
import { lifeSignalWords } from './life-words.ts';
import type { RunOutcome } from './outcome.ts';
import type { AttemptStory, GateStory } from './attempt-story.ts';
import { attemptOf, endedAttempt, gateOf, notedAttempt } from './attempt-story.ts';

export type WaitStory = {
  readonly key: string;
  readonly why: string;
  readonly begunAt: number;
  readonly until: number;
  readonly endedAt: number | null;
  /** Somebody said that it need not wait. */
  readonly skipped: boolean;
};

export type QuestionStory = {
  readonly key: string;
  readonly question: string;
  readonly askedAt: number;
  readonly answer: string | null;
  readonly endedAt: number | null;
};

export type CoolingStory = {
  readonly agentId: string;
  readonly identity: string;
  readonly until: number;
  readonly reason: string;
};

export type RunStory = {
  readonly id: string;
  readonly program: string;
  readonly task: string;
  readonly project: string;
  readonly submittedAt: number;
  /** The run that it goes on from. */
  readonly from: string | null;
  readonly attempts: readonly AttemptStory[];
  readonly waits: readonly WaitStory[];
  readonly questions: readonly QuestionStory[];
  /** `words`: what was said to a long-lived agent. */
  readonly signals: readonly {
    readonly kind: string;
    readonly at: number;
    readonly words: string | null;
  }[];
  /** Who rests, as far as the run has heard. */
  readonly cooling: readonly CoolingStory[];
  readonly outcome: RunOutcome | null;
  /** When the last of its facts was written. */
  readonly lastAt: number;
};

/** The story after one more fact. Undefined: it has no first one yet. */
export function followStory(story: RunStory | undefined, event: StoredEvent): RunStory | undefined {
  if (event.type === 'run.submitted') return begun(event, event.payload, null);
  if (event.type === 'run.forked') {
    const { submission, from } = event.payload;
    const told = story ?? begun(event, submission, from);
    return { ...told, id: idOf(event), from, outcome: null, lastAt: event.at };
  }
  if (story === undefined) return undefined;
  const seen = { ...story, lastAt: event.at };
  switch (event.type) {
    case 'command.begun':
      return { ...seen, ...commandBegun(seen, event.payload, event.at) };
    case 'command.noted': {
      const { key, note } = event.payload;
      const attempts = seen.attempts.map((one) =>
        one.key === key ? notedAttempt(one, note) : one,
      );
      return { ...seen, attempts };
    }
    case 'command.ended':
      return { ...seen, ...commandEnded(seen, event.payload, event.at) };
    case 'signal.received': {
      const { signal } = event.payload;
      const words = isLifeSignal(signal) ? lifeSignalWords(signal) : null;
      return { ...seen, signals: [...seen.signals, { kind: signal.kind, at: event.at, words }] };
    }
    case 'run.ended':
      return { ...seen, outcome: event.payload.outcome };
    case 'command.cancelled':
    case 'owner.started':
    case 'owner.stopped':
    case 'apply.begun':
    case 'apply.ended':
    case 'cooldown.set':
    case 'cooldown.cleared':
    case 'notice.begun':
    case 'prune.begun':
    case 'prune.ended':
    case 'tree.kept':
    case 'tree.restarting':
    case 'watch.noted':
    case 'watch.kept':
    case 'notice.ended':
      return seen;
  }
}

function idOf({ stream }: StoredEvent): string {
  return runOfStream(stream) ?? stream;
}

function begun(
  event: StoredEvent,
  { program, task, project }: Submission,
  from: string | null,
): RunStory {
  return {
    id: idOf(event),
    program,
    task,
    project,
    submittedAt: event.at,
    from,
    attempts: [],
    waits: [],
    questions: [],
    signals: [],
    cooling: [],
    outcome: null,
    lastAt: event.at,
  };
}

function commandBegun(
  { attempts, waits, questions, cooling }: RunStory,
  { key, command, input }: Payload<'command.begun'>,
  at: number,
): Partial<RunStory> {
  switch (command) {
    case 'attempt':
      return { attempts: [...attempts, attemptOf(key, input, attempts.length + 1, at)] };
    case 'wait': {
      const until = Number(input['until']);
      const wait = { key, why: String(input['why']), begunAt: at, until, endedAt: null };
      return { waits: [...waits, { ...wait, skipped: false }] };
    }
    case 'ask': {
      const question = String(input['question']);
      const asked = { key, question, askedAt: at, answer: null, endedAt: null };
      return { questions: [...questions, asked] };
    }
    case 'cool':
      return { cooling: withCooling(cooling, input, Date.parse(String(input['until']))) };
    default:
      return {};
  }
}

function withCooling(
  cooling: readonly CoolingStory[],
  { identity, agent, reason }: Readonly<Record<string, unknown>>,
  until: number,
): readonly CoolingStory[] {
  const others = cooling.filter((one) => one.identity !== identity);
  const rests = {
    agentId: String(agent),
    identity: String(identity),
    until,
    reason: String(reason),
  };
  return [...others, rests];
}

function commandEnded(
  { attempts, waits, questions, cooling }: RunStory,
  { key, end }: Payload<'command.ended'>,
  at: number,
): Partial<RunStory> {
  const gate = gateOf(key, end, at);
  if (gate !== undefined) return { attempts: withGate(attempts, gate) };
  if (key.startsWith('survey-')) return { cooling: surveyed(cooling, end) };
  return {
    attempts: attempts.map((one) => (one.key === key ? endedAttempt(one, end, at) : one)),
    waits: waits.map((one) =>
      one.key === key ? { ...one, endedAt: at, skipped: resultOf(end)['skipped'] === true } : one,
    ),
    questions: questions.map((one) => {
      const { answer } = resultOf(end);
      return one.key === key
        ? { ...one, endedAt: at, answer: typeof answer === 'string' ? answer : null }
        : one;
    }),
  };
}

function resultOf(end: CommandEnd): Readonly<Record<string, unknown>> {
  return end.kind === 'done' ? end.result : {};
}

/** A gate judges what the last attempt left. */
function withGate(attempts: readonly AttemptStory[], gate: GateStory): readonly AttemptStory[] {
  const last = attempts.at(-1);
  if (last === undefined) return attempts;
  return [...attempts.slice(0, -1), { ...last, gates: [...last.gates, gate] }];
}

/** What a look around found besides what the run has met itself. */
function surveyed(known: readonly CoolingStory[], end: CommandEnd): readonly CoolingStory[] {
  const found = resultOf(end)['cooling'];
  if (!Array.isArray(found)) return known;
  return (found as readonly Record<string, unknown>[]).reduce((cooling, one) => {
    const agent = known.find(({ identity }) => identity === one['identity'])?.agentId;
    const named = { ...one, agent: agent ?? one['agent'] ?? one['identity'] };
    return withCooling(cooling, named, Date.parse(String(one['until'])));
  }, known);
}
