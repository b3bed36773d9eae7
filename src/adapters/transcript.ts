/** An agent's events so far, folded to what its end is judged by. Of bounded size, however long it talks. */
import type { AgentError, AgentEvent, AgentUsage } from './agent-event.ts';

export type Transcript = {
  readonly session: string | null;
  /** How many events were more than noise. */
  readonly events: number;
  readonly toolsUsed: number;
  /** How many tools were begun and not ended. */
  readonly toolsOpen: number;
  /** The last thing it said, whole or its end. */
  readonly lastWords: string;
  /** Whether it has spoken since its last tool or its last failing call. */
  readonly isSpeaking: boolean;
  /** A call that failed and that it was about to try again; gone once it got on. */
  readonly retrying: AgentError | null;
  readonly failed: { readonly error: AgentError; readonly final: boolean } | null;
  readonly concluded: string | null;
  readonly asked: string | null;
  readonly limitResetAt: number | null;
  readonly usage: AgentUsage | null;
};

export const EMPTY_TRANSCRIPT: Transcript = {
  session: null,
  events: 0,
  toolsUsed: 0,
  toolsOpen: 0,
  lastWords: '',
  isSpeaking: false,
  retrying: null,
  failed: null,
  concluded: null,
  asked: null,
  limitResetAt: null,
  usage: null,
};

const WORDS_MAX = 2000;

export function foldTranscript(story: Transcript, event: AgentEvent): Transcript {
  if (event.kind === 'noise') return story;
  return { ...story, events: story.events + 1, ...change(story, event) };
}

function change(
  story: Transcript,
  event: Exclude<AgentEvent, { kind: 'noise' }>,
): Partial<Transcript> {
  switch (event.kind) {
    case 'session':
      return { session: event.id };
    case 'said': {
      // A CLI that speaks in pieces is one speaker until something else happens.
      const words = story.isSpeaking ? story.lastWords + event.text : event.text;
      return { lastWords: words.slice(-WORDS_MAX), isSpeaking: true, ...gotOn(story) };
    }
    case 'used-tool':
      return {
        toolsUsed: story.toolsUsed + 1,
        toolsOpen: story.toolsOpen + 1,
        isSpeaking: false,
        ...gotOn(story),
      };
    case 'tool-result':
      return {
        toolsOpen: Math.max(0, story.toolsOpen - 1),
        isSpeaking: false,
        ...gotOn(story),
      };
    case 'usage':
      return { usage: event.whole ? event.usage : sum(story.usage, event.usage) };
    case 'retrying':
      return { retrying: event.error };
    case 'failed':
      return {
        failed: { error: joinErrors(story.failed?.error, event.error), final: event.final },
      };
    case 'concluded':
      return { concluded: event.summary.slice(-WORDS_MAX), retrying: null, failed: null };
    case 'asked':
      return { asked: event.question };
    case 'limit':
      return { limitResetAt: event.resetAt };
  }
}

/** Work that goes on is past every failure but one that was said to be the end. */
function gotOn({ failed }: Transcript): Partial<Transcript> {
  return { retrying: null, failed: failed?.final === true ? failed : null };
}

/** A CLI may name an error first and describe it later. */
export function joinErrors(before: AgentError | null | undefined, error: AgentError): AgentError {
  if (before === undefined || before === null) return error;
  const codes = [before.code, error.code].filter((code) => code !== null);
  return {
    message: error.message === '' ? before.message : error.message,
    status: error.status ?? before.status,
    code: codes.length === 0 ? null : [...new Set(codes)].join(' '),
    at: error.at ?? before.at,
    retryAfterMs: error.retryAfterMs ?? before.retryAfterMs,
    resetAt: error.resetAt ?? before.resetAt,
  };
}

function sum(before: AgentUsage | null, more: AgentUsage): AgentUsage {
  if (before === null) return more;
  const costs = [before.costUsd, more.costUsd].filter((cost) => cost !== null);
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    cachedTokens: before.cachedTokens + more.cachedTokens,
    costUsd: costs.length === 0 ? null : costs.reduce((a, b) => a + b, 0),
  };
}
