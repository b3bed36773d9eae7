/** What a person decides about a red gate with `on_fail: ask`. */
import type { AttemptsState } from '../attempts-state.ts';
import type { AttemptDecision } from '../decision.ts';
import { askOrEnd, endRun } from '../decision.ts';
import { describeRed } from '../exhausted.ts';
import { gateAccepted } from './gate-ended.ts';
import type { RedGate } from '../past-attempt.ts';

const GATE_CHOICES = ['retry', 'accept', 'stop'] as const;

/** Undefined: the person wants the agent to try again. */
export function askAboutGate(
  { answer, settings }: Pick<AttemptsState, 'answer' | 'settings'>,
  red: RedGate,
): AttemptDecision | undefined {
  const choice = readAnswer(answer);
  if (choice === 'retry') return undefined;
  const why = describeRed(red);
  if (choice === 'stop') return endRun('failed', `${why}; you stopped the run`);
  const question = `${why}. ${MEANING}`;
  return askOrEnd(settings, { question, choices: GATE_CHOICES, redGate: red.name }, why);
}

const MEANING =
  'Answer retry to let the agent fix it, accept to take the work as it is, or stop to end the run.';

/** Undefined: the question was not about a gate, or its answer leaves the gate red. */
export function afterGateAnswer(
  state: AttemptsState,
  answer: string | null,
): Partial<AttemptsState> | undefined {
  const isAsked = state.past.at(-1)?.redGate?.asks === true;
  return isAsked && readAnswer(answer) === 'accept' ? gateAccepted(state) : undefined;
}

function readAnswer(answer: string | null): (typeof GATE_CHOICES)[number] | undefined {
  const word = answer?.trim().toLowerCase();
  return GATE_CHOICES.find((choice) => choice === word);
}
