/** What an agent reads about a red gate, in its own conversation or in a new one. */
import type { JsonObject } from '../../base/json.ts';
import { renderProgramPrompt } from '../../prompts/render-program-prompt.ts';
import { describeFailure } from '../../protocol/words/red-gate-words.ts';
import type { AgentSpec } from '../../protocol/pinned-settings.ts';
import type { AttemptsState } from '../attempts-state.ts';
import { chainSettings } from '../attempts-state.ts';
import type { PastAttempt, RedGate } from '../past-attempt.ts';

/** In characters. A report ends with its most important lines. */
const OUTPUT_MAX = 2000;

/**
 * The agent continues its conversation, where it still knows the task and its own work. Without a conversation, the
 * next attempt starts with the handoff, which has the same report.
 */
export function continueAfterRed(
  state: AttemptsState,
  { agent: id, session }: Pick<PastAttempt, 'agent' | 'session'>,
  red: RedGate,
): { readonly session: string | null; readonly message: string | null } {
  const agent = chainSettings(state).agents.find((one) => one.id === id);
  if (session === null || agent === undefined || !canResume(agent))
    return { session: null, message: null };
  return { session, message: renderProgramPrompt('attempts/red_gate', { check: redCheck(red) }) };
}

/** The values of the templates about a red gate. */
export function redCheck({ name, kind, output, judged, sinceBase }: RedGate): JsonObject {
  const [first] = judged?.outcome.failures ?? [];
  return {
    name: JSON.stringify(name),
    failed: kind === 'failed',
    output: output.length <= OUTPUT_MAX ? output : `…${output.slice(-OUTPUT_MAX)}`,
    unchanged: judged?.outcome.knownSince !== undefined,
    since_base: sinceBase ?? null,
    first: first === undefined ? null : describeFailure(first),
  };
}

/** Every built-in CLI can continue a conversation. A custom agent needs a command for it. */
function canResume({ cli, resumeCommand }: AgentSpec): boolean {
  return cli !== 'custom' || resumeCommand !== undefined;
}
