/**
 * The text about the last attempt that the next one reads before the task: `config/templates/attempts/handoff.j2`.
 * Output of an agent or a gate stands between marks that it can't contain, so it can't pass for our text.
 */
import { plural } from '../base/text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';

import type { PastAttempt } from './past-attempt.ts';
import { redCheck } from './gates/red-gate-prompt.ts';

/** In characters, each. */
const OUTPUT_MAX = 2000;
const NAMES_MAX = 20;

/** `message` is an additional instruction for the next attempt. */
export function handoffPrompt(number: number, last: PastAttempt, message: string | null): string {
  const { agent, kind, failure, files, names, redGate } = last;
  const output = kind === 'completed' ? last.summary : (failure?.message ?? '');
  const text = renderProgramPrompt('attempts/handoff', {
    number,
    last_number: last.number,
    agent,
    end: kind,
    reason: failure?.reason ?? null,
    category: failure?.category ?? null,
    output: clipped(output),
    changed: files === null ? null : plural(files, 'changed file'),
    names: names.slice(0, NAMES_MAX).join('\n'),
    check: redGate === null ? null : redCheck(redGate),
    message,
  });
  return `${text}\n\n`;
}

function clipped(text: string): string {
  return text.length <= OUTPUT_MAX ? text : `${text.slice(0, OUTPUT_MAX)}…`;
}
