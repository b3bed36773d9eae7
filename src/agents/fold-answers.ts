/** Applies a person's answer: to a question that the agent waits for, and to an issue beside its work. */
import { GANG_CHOICES } from '../monitors/triggers.ts';
import { isContinueAnswer, isPriceAnswer } from '../protocol/views/money-question.ts';
import { settleIssue } from './escalate.ts';
import type { AgentProgramState, OpenIssue, Phase } from './agent-state.ts';
import { isAgentAlive, update } from './agent-state.ts';
import { dismissAgent, failedExit, failLife, leaveLife, startWork } from './transitions.ts';
import { answeredPrompt, BUDGET_RAISED_PROMPT, restartReasonPrompt } from './agent-prompts.ts';
import type { CommandEnd, CommandEnded } from '../protocol/commands.ts';

const BROADCASTS_MAX = 10;
const RESTART_REASON = 'a person asked for it';

/** The answer to a question about a gang is broadcast to the other members. */
export function applyDecision(
  state: AgentProgramState,
  { key, command, end }: CommandEnded,
  issue: number | undefined,
): AgentProgramState {
  if (command !== 'ask') return state;
  const { phase, issues } = state;
  const isGang =
    (phase.kind === 'ask' && phase.about === 'gang' && issue === undefined) ||
    issues.open.some(({ number, kind }) => kind === 'gang' && number === issue);
  const word = isGang ? getAnswer(end)?.trim().toLowerCase() : undefined;
  const answer = GANG_CHOICES.find((choice) => choice === word);
  if (answer === undefined) return state;
  const broadcasts = [...issues.broadcasts, { answer, of: key }].slice(-BROADCASTS_MAX);
  return update(state, { issues: { broadcasts } });
}

const STOPPED: Readonly<Record<string, string>> = {
  budget: 'stopped when the budget was spent',
  price: 'stopped because a price is unknown',
};

/** A question without an answer is asked again, if it is still open. */
export function afterAnswer(
  state: AgentProgramState,
  phase: Extract<Phase, { kind: 'ask' }>,
  end: CommandEnd<'ask'>,
): AgentProgramState {
  const answer = getAnswer(end);
  if (answer === null) return state;
  const { about, question, news, onRestart } = phase;
  if (about === 'input') return startWork(state, joinParts(news, answeredPrompt(question, answer)));
  const decision = parseDecision(answer);
  // Only a person decides about money, so an unclear answer is asked again.
  if (about === 'budget' && decision !== 'end' && !isContinueAnswer(answer)) return state;
  if (about === 'price' && decision !== 'end' && !isPriceAnswer(answer)) return state;
  switch (decision) {
    case 'end': {
      const reason = STOPPED[about] ?? `a person answered: ${answer}`;
      return dismissAgent(state, { kind: 'cancelled', reason });
    }
    case 'restart':
      return failLife(state, RESTART_REASON, {
        workspace: onRestart,
        newConversation: onRestart === 'discard',
      });
    case 'continue': {
      const checked =
        about === 'limit' ? update(state, { turn: { availabilityChecked: true } }) : state;
      return startWork(checked, about === 'budget' ? joinParts(news, BUDGET_RAISED_PROMPT) : news);
    }
  }
}

/** The answer arrived while the life that asked was ending. It holds for the next life, and this one still ends. */
export function applyLateAnswer(
  state: AgentProgramState,
  phase: Extract<Phase, { kind: 'ask' }>,
  end: CommandEnd<'ask'>,
): AgentProgramState {
  const { leaving, exit } = state;
  const answered = afterAnswer(state, phase, end);
  if (answered.phase === state.phase || leaving === null) return answered;
  if (leaving.kind === 'phase') return update(answered, { leaving: null });
  return update(answered, { exit, leaving });
}

export function afterIssue(
  state: AgentProgramState,
  issue: OpenIssue,
  end: CommandEnd<'ask'>,
): AgentProgramState {
  const answer = getAnswer(end);
  if (answer === null) return state;
  const settled = settleIssue(state, issue.kind);
  switch (parseDecision(answer)) {
    case 'end':
      return dismissAgent(settled, { kind: 'cancelled', reason: `a person answered: ${answer}` });
    case 'restart':
      return restart(settled);
    case 'continue':
      return settled;
  }
}

/** The supervisor starts the next life. A life that is running ends first. */
function restart(state: AgentProgramState): AgentProgramState {
  if (!isAgentAlive(state))
    return update(state, { restartRequested: state.ending.outcome === null });
  if (state.leaving !== null) return state;
  const restartNotice = restartReasonPrompt(RESTART_REASON);
  const exit = failedExit(RESTART_REASON);
  return leaveLife(update(state, { turn: { restartNotice } }), { kind: 'exit', exit });
}

function parseDecision(answer: string): 'restart' | 'end' | 'continue' {
  const word = answer.trim().toLowerCase();
  if (word === 'restart' || word === 'restart-all') return 'restart';
  const endAnswers = ['stop', 'stop-all', 'dismiss', 'reap', 'no', 'n'];
  return endAnswers.includes(word) ? 'end' : 'continue';
}

function getAnswer(end: CommandEnd<'ask'>): string | null {
  return end.kind === 'done' && 'answer' in end.result ? end.result.answer : null;
}

function joinParts(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n\n');
}
