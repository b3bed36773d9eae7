/** What one tool call of a turn is for the history of its conversation. */
import type { PlanCount, TurnStep } from '../protocol/turn.ts';
import { isLook } from '../turns/is-look.ts';
import { isNoteTool } from '../turns/note-tool.ts';
import { isMissingStep, isOutside, successMark } from './past-calls.ts';

const SCRATCH = /^(?:\/private)?(?:\/var)?\/(?:tmp|dev)\//;

/** A file of the work, not of a temporary folder. */
export function isEdit({ writes = [], error }: TurnStep): boolean {
  return error === undefined && writes.some((path) => !SCRATCH.test(path));
}

/** Copilot CLI keeps its list in a table. */
const NOTE_QUERY = /\btodos?\b|\btodo_deps\b/i;

/** A note about its work ends no failures. */
export function isNote(plan: PlanCount | null, step: TurnStep): boolean {
  const { tool, subject = '' } = step;
  if (step.endsItem === true) return false;
  if (tool === 'sql') return NOTE_QUERY.test(subject);
  return isNoteTool(tool) && (step.plan?.done ?? 0) <= (plan?.done ?? 0);
}

/** Time alone may end its failure. */
export function isOutsideFailure(step: TurnStep): boolean {
  return step.error !== undefined && isOutside(step.error, isMissingStep(step));
}

/** An edit is the same edit if its arguments are; any other call if its output is the same too. */
export function markOf(step: TurnStep): string {
  const { tool, signature } = step;
  return isEdit(step) ? `${tool} ${signature}` : `${tool} ${successMark(step)}`;
}

/** A look at what a job of the agent is to make: it names a file, and no source. */
const LOOK_AT_RESULT =
  /^(?:ls|dir|wc|stat|du|find|file|test|\[|cat|tail|head)\b.*\s(?![\s-])(?!\S*\.(?:[cm]?[jt]sx?|py|rs|go|java|c|cc|cpp|h|rb|md)\b)\S/;

/** It looks at something slow: it has asked the same before, and the answer is the same. */
export function isPoll(
  { known, hasJob }: { readonly known: ReadonlySet<string>; readonly hasJob: boolean },
  step: TurnStep,
): boolean {
  if (!known.has(markOf(step))) return false;
  if (step.outside === true) return true;
  const isHeard = step.error === undefined || isMissingStep(step);
  return hasJob && isHeard && LOOK_AT_RESULT.test(step.subject ?? '');
}

/** Whether the agent waits for a job that it has left running. It does not wait any more once it does other work. */
export function hasJobAfter(hasJob: boolean, steps: readonly TurnStep[]): boolean {
  if (steps.some(({ starts }) => starts === true)) return true;
  return hasJob && steps.every((step) => step.waits === true || isLook(step));
}
