/** The turns of a run, as scripts read them. */
import { z } from 'zod';
import { TOOL_ERRORS } from '../protocol/turn.ts';
import { contextFill } from '../turns/context-fill.ts';
import type { ListedCall, ListedTurn } from '../turns/list-turns.ts';
import { documentSchema, field, runId, time, tokens, toIso } from './document.ts';

const Call = z.strictObject({
  tool: z.string(),
  signature: field(z.string(), 'Equal for calls of one tool whose normalised arguments are equal.'),
  subject: field(z.string().nullable(), 'Its command or its files. Null: it names neither.'),
  result: field(
    z.enum(['ok', 'error']).nullable(),
    'Null: not known, because the run ended before or does not report it.',
  ),
  error_kind: field(z.enum(TOOL_ERRORS).nullable(), 'Null: it did not fail.'),
  error_text: field(z.string().nullable(), 'The beginning of the error, without secrets.'),
  output_hash: field(
    z.string().nullable(),
    'Equal for outputs that differ only in times, durations, temporary paths and ids.',
  ),
  files_written: z.array(z.string()),
  tests_failing: field(z.int().nullable(), 'Null: its output does not count tests.'),
  waits: field(z.boolean(), 'It only waits for something else, such as a build.'),
});

export const TurnsDocument = documentSchema('turns', 'The turns of a run, oldest first.', {
  run_id: runId,
  turns: z.array(
    z.strictObject({
      attempt: field(z.string(), 'The key of the attempt, such as attempt-1.'),
      conversation_id: z.string(),
      is_subagent: z.boolean(),
      turn: field(z.int(), 'Counts from 1 within the attempt and the conversation.'),
      at: time,
      model: z.string(),
      calls: z.array(Call),
      text: field(z.string(), 'The beginning of what the model said, without secrets.'),
      context_tokens: tokens,
      context_tokens_max: tokens,
      context_fill: field(z.number().nullable(), 'From 0 to 1. Null: not known.'),
      output_tokens: tokens,
      stop_reason: field(z.string().nullable(), "The provider's word. Null: not known."),
    }),
  ),
});

export function turnsDocument(
  run: string,
  turns: readonly ListedTurn[],
): z.infer<typeof TurnsDocument> {
  return {
    schema: 'supervisor.turns/1',
    run_id: run,
    turns: turns.map((turn) => ({
      attempt: turn.attempt,
      conversation_id: turn.conversation,
      is_subagent: turn.kind === 'sub',
      turn: turn.number,
      at: toIso(turn.at),
      model: turn.model,
      calls: turn.calls.map(callFields),
      text: turn.text,
      context_tokens: turn.contextTokens,
      context_tokens_max: turn.contextTokensMax,
      context_fill: contextFill(turn),
      output_tokens: turn.outputTokens,
      stop_reason: turn.stop,
    })),
  };
}

function callFields({ tool, signature, subject, result }: ListedCall): z.infer<typeof Call> {
  return {
    tool,
    signature,
    subject: subject ?? null,
    result: result === null ? null : result.error === undefined ? 'ok' : 'error',
    error_kind: result?.error ?? null,
    error_text: result?.errorText ?? null,
    output_hash: result?.output ?? null,
    files_written: [...(result?.writes ?? [])],
    tests_failing: result?.failing ?? null,
    waits: result?.waits === true,
  };
}
