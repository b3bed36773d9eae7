/** What a person can do about a run in its current state, in one sentence. */
import type { RunHistory } from './runs/run-history.ts';
import { endedBadly } from '../protocol/outcome.ts';
import { adviceToAnswer } from '../protocol/views/answer-advice.ts';
import type { OpenQuestion } from '../protocol/views/open-question.ts';
import { adviceToQuestion } from '../protocol/views/question-words.ts';
import type { AppliedView } from '../protocol/views/applied-view.ts';
import { isInPlace, wasThere } from '../protocol/views/applied-view.ts';
import { AGENT_PROGRAM } from '../protocol/agent-program-name.ts';
import { adviceAfterFailure, giveKeys, hasWork } from './failure-advice.ts';

/**
 * Null if there is nothing to do. `resumedAs`: the newest run that continues it. `asksBelow`: the open questions of the
 * runs below it.
 */
export function adviceFor(
  history: RunHistory,
  applied: AppliedView | null = null,
  resumedAs: string | null = null,
  [below]: readonly OpenQuestion[] = [],
): string | null {
  const { id, outcome, questions, waits, attempts } = history;
  const question = questions.find(({ endedAt }) => endedAt === null);
  if (outcome === null) {
    if (question !== undefined) return adviceToAnswer(id, question);
    if (below !== undefined) return adviceToQuestion(below);
    const wait = waits.find(({ endedAt }) => endedAt === null);
    return wait === undefined ? null : `Wait, or retry at once with: supervisor retry-now ${id}`;
  }
  if (isInPlace(applied)) return afterApply(id, applied);
  if (resumedAs !== null && endedBadly(outcome))
    return `It was resumed as ${resumedAs}. See how that went with: supervisor why ${resumedAs}`;
  // The attempts of a workflow are those of its steps. Work that was taken out again is there too.
  const isThere = hasWork(attempts) || applied !== null;
  switch (outcome.kind) {
    case 'succeeded':
      return isThere ? `Apply the work with: supervisor apply ${id}` : null;
    case 'unverified':
      if (history.accepted.length > 0)
        return `Review the work with: supervisor diff ${id}. Apply it with: supervisor apply ${id}`;
      return isThere
        ? `No gate has checked the work. Review it with: supervisor diff ${id}. Apply it with: supervisor apply ${id}`
        : 'No gate has checked the work. Add gates to .supervisor/config.yaml, or find them with: supervisor init';
    case 'cancelled':
    case 'killed':
      // A long-lived agent that has ended can't be resumed. Only its work is left.
      if (history.program === AGENT_PROGRAM)
        return hasWork(attempts) ? `Review its work with: supervisor diff ${id}` : null;
      if (attempts.at(-1)?.failure?.reason === 'budget') return adviceAfterFailure(history);
      return `Continue the run with: supervisor resume ${id}`;
    case 'refused':
      if (attempts.length > 0) return adviceAfterFailure(history);
      // The reason of a gate that can't run says what to do about it.
      if (history.baseline.length > 0)
        return `If the gate is wrong, run the task again with one that can run. If only this machine lacks something, install it and continue with: supervisor resume ${id}`;
      return 'Check what is missing with: supervisor doctor';
    case 'blocked':
      if (history.setup?.failed === true && attempts.length === 0)
        return `If the setup is wrong, correct setup in .supervisor/config.yaml. Then: supervisor trust && supervisor run "…". If only this machine or its network was at fault, continue with: supervisor resume ${id}`;
      if (history.lacksKey) return giveKeys(id);
      if (outcome.needs === 'approval')
        return `Let the run ask you with: supervisor resume ${id}. Then see what it asks, and how to decide, with: supervisor approvals`;
      return adviceAfterFailure(history);
    case 'failed':
    case 'exhausted':
      return adviceAfterFailure(history);
  }
}

/** Work that is on a branch or in a commit is the user's: their git undoes it. */
function afterApply(id: string, applied: AppliedView | null): string | null {
  if (applied === null || applied.kind === 'branch' || applied.commit !== null) return null;
  if (wasThere(applied)) return null;
  // An undo would be refused, or has nothing to do.
  if (applied.changed === true) return null;
  return `Undo the apply with: supervisor apply --undo ${id}`;
}
