/** What is recorded for a signal: the signal itself, and the ends of the commands that it ends. */
import { defined } from '../../base/defined.ts';
import type { Refusal } from '../../base/errors.ts';
import type { CommandKey, RunId } from '../../base/ids.ts';
import type { Result } from '../../protocol/commands.ts';
import type { NewRunEvent } from '../../protocol/event.ts';
import type { RequestMark } from '../../protocol/run-submission.ts';
import type { Signal } from '../../protocol/signal.ts';
import { isParentSignal } from '../../protocol/signal.ts';
import type { Ledger } from '../ledger.ts';
import { endedFact } from './begin-facts.ts';
import { noOpenQuestion, pausedByParent, runAlreadyEnded } from './engine-refusals.ts';

type SignalFacts =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'facts';
      readonly facts: readonly NewRunEvent[];
      /** The commands that it ends. */
      readonly ends: readonly CommandKey[];
    };

export function signalFacts(
  run: RunId,
  { ended, open, paused, pausedByParent: isHeld }: Ledger,
  signal: Signal,
  request?: RequestMark,
): SignalFacts {
  if (ended) return refuse(runAlreadyEnded(run));
  if (isParentSignal(signal)) {
    // The parent sends it again if its owner died, so it may be on record already.
    const isDone = signal.kind === 'pause' ? paused : !isHeld;
    if (isDone) return { kind: 'facts', facts: [], ends: [] };
  } else if (signal.kind === 'unpause' && isHeld) return refuse(pausedByParent(run));
  const answered =
    signal.kind === 'answer' ? open.find(({ key }) => key === signal.key) : undefined;
  if (signal.kind === 'answer' && answered?.command !== 'ask')
    return refuse(noOpenQuestion(run, signal.key));
  const endedBySignal = open.filter(
    (one) => one === answered || (signal.kind === 'retry-now' && one.command === 'wait'),
  );
  const result = signal.kind === 'answer' ? answerOf(signal) : { skipped: true as const };
  return {
    kind: 'facts',
    facts: [
      {
        type: 'signal.received',
        payload: { signal, ...(request === undefined ? {} : { request }) },
      },
      ...endedBySignal.map((one) => endedFact(one, { kind: 'done', result })),
    ],
    ends: endedBySignal.map(({ key }) => key),
  };
}

function answerOf({
  answer,
  decision,
  person,
}: Extract<Signal, { kind: 'answer' }>): Result<'ask'> {
  return { answer, ...defined({ decision, by: person }) };
}

function refuse(refusal: Refusal): SignalFacts {
  return { kind: 'refused', refusal };
}
