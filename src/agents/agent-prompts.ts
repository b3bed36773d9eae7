/**
 * The prompts of a long-lived agent. Their texts are in `config/templates/agents`. Text from others stands
 * between marks that it can't contain, so it can't pass for Supervisor's own text.
 */
import { promptFence } from '../base/prompt-fence.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { AgentProgramState, AgentMessage } from './agent-state.ts';

/** In characters. */
const SUMMARY_MAX = 2000;
const FAILURES_MAX = 8000;
/** Of one turn; the rest waits for the next. */
const MESSAGES_MAX = 100_000;

const CONTINUE_PROMPT = renderProgramPrompt('agents/continue');
const INTERRUPTED_PROMPT = renderProgramPrompt('agents/interrupted');
export const NO_PERSON_PROMPT = renderProgramPrompt('agents/no_person');
export const NO_IDLING_PROMPT = renderProgramPrompt('agents/no_idling');
export const BUDGET_RAISED_PROMPT = renderProgramPrompt('agents/budget_raised');

export function restartReasonPrompt(reason: string): string {
  return renderProgramPrompt('agents/restart_reason', { reason });
}

/** Everything, for a new conversation. */
export function firstTurnPrompt(state: AgentProgramState): string {
  const { agent, task } = state.pinned;
  return renderProgramPrompt('agents/first_turn', {
    name: agent.name,
    commitments: state.work.commitments.map(
      ({ description, assertion }) => `${description}: ${assertion.join(' ')}`,
    ),
    task,
    item: itemPrompt(state),
    restart: restartPrompt(state),
    news: newMessagesPrompt(state),
  });
}

/** Only the news, for a conversation that continues. */
export function continuePrompt(state: AgentProgramState): string {
  const item = state.work.item?.isNew === true ? itemPrompt(state) : null;
  const parts = [restartPrompt(state), item, newMessagesPrompt(state)];
  return parts.every((part) => part === null) ? CONTINUE_PROMPT : joinParts(parts);
}

/** Pending text and unread messages; null: there are none. */
export function newMessagesPrompt({
  phase,
  mailbox,
}: Pick<AgentProgramState, 'phase' | 'mailbox'>): string | null {
  const news = phase.kind === 'turn' ? phase.news : null;
  const messages = messagesPrompt(deliveredMessages(mailbox.inbox));
  return news === null && messages === null ? null : joinParts([news, messages]);
}

/** The oldest messages that fit into one turn; at least one. */
export function deliveredMessages(inbox: readonly AgentMessage[]): readonly AgentMessage[] {
  let charsLeft = MESSAGES_MAX;
  const firstTooLong = inbox.findIndex(
    ({ text }, index) => (charsLeft -= text.length) < 0 && index > 0,
  );
  return firstTooLong === -1 ? inbox : inbox.slice(0, firstTooLong);
}

export function failedChecksPrompt(failures: readonly string[]): string {
  const text = failures.join('\n\n').slice(0, FAILURES_MAX);
  return renderProgramPrompt('agents/failed_checks', { failures: text });
}

export function answeredPrompt(question: string, answer: string): string {
  return renderProgramPrompt('agents/person_answer', { question, answer });
}

function messagesPrompt(delivered: readonly AgentMessage[]): string | null {
  if (delivered.length === 0) return null;
  const fence = promptFence(delivered.map(({ text }) => text));
  const messages = delivered.map(({ from, text }) =>
    fence.around('message', text, { from: from ?? 'a person' }).trimEnd(),
  );
  return renderProgramPrompt('agents/messages', { messages });
}

function itemPrompt({ work: { item } }: AgentProgramState): string | null {
  if (item === null) return null;
  const { name, text } = item;
  return renderProgramPrompt('agents/queue_item', { name: JSON.stringify(name), text });
}

/** Why the agent was restarted or interrupted, and what it reported before. */
function restartPrompt({ turn }: AgentProgramState): string | null {
  const { restartNotice, interrupted, summary, session } = turn;
  if (restartNotice === null) return interrupted ? INTERRUPTED_PROMPT : null;
  return renderProgramPrompt('agents/restart', {
    notice: restartNotice,
    has_summary: summary !== null,
    summary: (summary ?? '').slice(0, SUMMARY_MAX),
    is_new_conversation: session === null,
  });
}

function joinParts(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n');
}
