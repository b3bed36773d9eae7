/**
 * Folds the events of an agent into the facts by which its end is judged. The size is bounded,
 * however long the agent runs.
 */
import type { AgentError, AgentEvent, AgentUsage } from './agent-event.ts';

export type Transcript = {
  readonly session: string | null;
  /** The number of events that are not noise. */
  readonly events: number;
  readonly toolsUsed: number;
  /** The number of tools that have started and not ended. */
  readonly toolsOpen: number;
  /** The last message, or its end if it is long. */
  readonly lastWords: string;
  /** Whether the last event continues a message. */
  readonly isSpeaking: boolean;
  /** A failed call that the agent is about to retry. Null after the agent made progress. */
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

const MESSAGE_CHARS_MAX = 2000;

export function foldTranscript(transcript: Transcript, event: AgentEvent): Transcript {
  if (event.kind === 'noise') return transcript;
  return { ...transcript, events: transcript.events + 1, ...change(transcript, event) };
}

function change(
  transcript: Transcript,
  event: Exclude<AgentEvent, { kind: 'noise' }>,
): Partial<Transcript> {
  switch (event.kind) {
    case 'session':
      return { session: event.id };
    case 'said': {
      // Consecutive pieces of text are one message until another event happens.
      const text = transcript.isSpeaking ? transcript.lastWords + event.text : event.text;
      return {
        lastWords: text.slice(-MESSAGE_CHARS_MAX),
        isSpeaking: true,
        ...afterProgress(transcript),
      };
    }
    case 'used-tool':
      return {
        toolsUsed: transcript.toolsUsed + 1,
        toolsOpen: transcript.toolsOpen + 1,
        isSpeaking: false,
        ...afterProgress(transcript),
      };
    case 'tool-result':
      return {
        toolsOpen: Math.max(0, transcript.toolsOpen - 1),
        isSpeaking: false,
        ...afterProgress(transcript),
      };
    case 'usage':
      return { usage: event.whole ? event.usage : sum(transcript.usage, event.usage) };
    case 'retrying':
      return { retrying: event.error };
    case 'failed':
      return {
        failed: { error: joinErrors(transcript.failed?.error, event.error), final: event.final },
      };
    case 'concluded':
      return { concluded: event.summary.slice(-MESSAGE_CHARS_MAX), retrying: null, failed: null };
    case 'asked':
      return { asked: event.question };
    case 'limit':
      return { limitResetAt: event.resetAt };
  }
}

/** After progress every failure is past, except one that the agent reported as final. */
function afterProgress({ failed }: Transcript): Partial<Transcript> {
  return { retrying: null, failed: failed?.final === true ? failed : null };
}

/** A CLI may first name an error and describe it later. */
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
