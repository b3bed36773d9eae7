/** What a person's answer does: to a question that the agent waits for, and to one that was put beside its work. */
import { GANG_CHOICES } from '../monitors/triggers.ts';
import { isContinueAnswer } from '../protocol/views/budget-view.ts';
import type { CommandEnd } from '../protocol/event.ts';
import { settleIssue } from './escalate.ts';
import type {
  AgentStateChange,
  AgentProgramState,
  OpenIssue,
  OpenAgentStep,
  Phase,
} from './agent-state.ts';
import { isAgentAlive, ISSUE_KEY } from './agent-state.ts';
import { failLife, leaveLife, dismissAgent, startWork } from './transitions.ts';
import { answeredPrompt, BUDGET_RAISED_PROMPT } from './agent-prompts.ts';

const FOR_ALL_MAX = 10;
const ASKED_FOR = 'a person asked for it';

/** The answer to a question about its gang is for the others too. */
export function applyDecision(
  state: AgentProgramState,
  { key }: OpenAgentStep,
  end: CommandEnd,
): AgentStateChange {
  const { phase, matters, forAll } = state;
  const isGang =
    (phase.kind === 'ask' && phase.about === 'gang' && !key.startsWith(ISSUE_KEY)) ||
    matters.some(({ number, kind }) => kind === 'gang' && key === `${ISSUE_KEY}${number}`);
  const word = isGang ? answerIn(end)?.trim().toLowerCase() : undefined;
  const answer = GANG_CHOICES.find((choice) => choice === word);
  if (answer === undefined) return {};
  return { forAll: [...forAll, { answer, of: key }].slice(-FOR_ALL_MAX) };
}

/** One that was not answered is asked again, if it still stands. */
export function afterAnswer(
  state: AgentProgramState,
  phase: Extract<Phase, { kind: 'ask' }>,
  end: CommandEnd,
): AgentStateChange {
  const answer = answerIn(end);
  if (answer === null) return {};
  const { about, question, news, onRestart } = phase;
  if (about === 'input') return startWork(state, joined(news, answeredPrompt(question, answer)));
  const means = meaningOf(answer);
  // Money is a person's to decide about: what is no clear word is asked again.
  if (about === 'budget' && means !== 'end' && !isContinueAnswer(answer)) return {};
  switch (means) {
    case 'end': {
      const reason =
        about === 'budget' ? 'stopped when the budget was spent' : `a person said: ${answer}`;
      return dismissAgent(state, { kind: 'cancelled', reason });
    }
    case 'restart':
      return failLife(state, ASKED_FOR, { workspace: onRestart, forgets: onRestart === 'discard' });
    case 'go-on':
      return {
        ...startWork(state, about === 'budget' ? joined(news, BUDGET_RAISED_PROMPT) : news),
        ...(about === 'limit' ? { looked: true } : {}),
      };
  }
}

/** The answer came while the life that asked was ended: it holds for the next one, and what was under way stands. */
export function applyLateAnswer(
  state: AgentProgramState,
  phase: Extract<Phase, { kind: 'ask' }>,
  end: CommandEnd,
): AgentStateChange {
  const answer = afterAnswer(state, phase, end);
  if (answer.phase === undefined || state.leaving === null) return answer;
  if ('to' in state.leaving) return { ...answer, leaving: null };
  const { exit: _, state: _state, leaving: _leaving, ...next } = answer;
  return next;
}

export function afterIssue(
  state: AgentProgramState,
  matter: OpenIssue,
  end: CommandEnd,
): AgentStateChange {
  const answer = answerIn(end);
  if (answer === null) return {};
  const known = settleIssue(state, matter.kind);
  const now = { ...state, ...known };
  switch (meaningOf(answer)) {
    case 'end':
      return {
        ...known,
        ...dismissAgent(now, { kind: 'cancelled', reason: `a person said: ${answer}` }),
      };
    case 'restart':
      return { ...known, ...again(now) };
    case 'go-on':
      return known;
  }
}

/** Whoever is down is begun again by its supervisor; whoever lives ends this life first. */
function again(state: AgentProgramState): AgentStateChange {
  if (!isAgentAlive(state)) return { wantsLife: state.closing === null };
  if (state.leaving !== null) return {};
  const ended = failLife(state, ASKED_FOR, { workspace: 'keep', forgets: false });
  const { restarted = null, exit = null } = ended;
  return exit === null ? {} : { restarted, ...leaveLife({ ...state, restarted }, { exit }) };
}

function meaningOf(answer: string): 'restart' | 'end' | 'go-on' {
  const word = answer.trim().toLowerCase();
  if (word === 'restart' || word === 'restart-all') return 'restart';
  const ends = ['stop', 'stop-all', 'dismiss', 'reap', 'no', 'n'];
  return ends.includes(word) ? 'end' : 'go-on';
}

function answerIn(end: CommandEnd): string | null {
  const answer = end.kind === 'done' ? end.result['answer'] : undefined;
  return typeof answer === 'string' ? answer : null;
}

function joined(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n\n');
}
