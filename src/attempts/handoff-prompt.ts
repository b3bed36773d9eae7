/**
 * The text about the last attempt that the next one reads before the task: `config/templates/attempts/handoff.j2`.
 * Output of an agent or a gate stands between marks that it can't contain, so it can't pass for our text.
 */
import { plural } from '../base/text.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';

import type { PastAttempt } from './past-attempt.ts';

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
    check:
      redGate === null
        ? null
        : {
            name: JSON.stringify(redGate.name),
            failed: redGate.kind === 'failed',
            output: clipped(redGate.output, 'end'),
          },
    message,
  });
  return `${text}\n\n`;
}

/** A check's report ends with its most important lines. */
function clipped(text: string, keep: 'start' | 'end' = 'start'): string {
  if (text.length <= OUTPUT_MAX) return text;
  return keep === 'start' ? `${text.slice(0, OUTPUT_MAX)}…` : `…${text.slice(-OUTPUT_MAX)}`;
}
