/**
 * Resumes or forks a run as a new run: from a point before its bad end, or from any of its facts.
 */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { AGENT_PROGRAM } from '../../protocol/agent-program-name.ts';
import type { ResumeChanges } from '../../protocol/resume-changes.ts';
import type { RunView } from '../../protocol/views/run-view.ts';
import type { Journal } from '../../store/journal.ts';
import { readHistoryOfRun } from '../run-reader.ts';
import { resumePoint } from '../../engine/resume-point.ts';
import { isResumable, nothingToResume } from './nothing-to-resume.ts';

/**
 * The fact after which a run that ended badly continues as a new run. Undefined if the run has not
 * ended.
 */
export async function findResumePoint(
  view: RunView,
  journal: Journal,
): Promise<number | undefined> {
  const { outcome } = view;
  if (outcome === null) return undefined;
  const canResume = isResumable(view, outcome);
  const point = canResume
    ? await resumePoint(readHistoryOfRun(journal, view.id as RunId))
    : undefined;
  if (point === undefined) throw nothingToResume(view, outcome);
  return point;
}

/** Refuses to change a run that is active: its settings are pinned. */
export function refuseChanges(id: string, changes: ResumeChanges): void {
  if (Object.keys(changes).length === 0) return;
  throw new Refusal({
    code: 'run.not-ended',
    message: `Run ${id} has not ended, so its task, agents and limits cannot be changed.`,
    hint: `Stop it first with: supervisor stop ${id}. Then give the same command again.`,
  });
}

/** Refuses to go back within a run that is active: it would be in two places at once. */
export function refuseActive({ id, endedAt }: RunView, step: string): void {
  if (endedAt !== null) return;
  throw new Refusal({
    code: 'run.not-ended',
    message: `Run ${id} has not ended, so it cannot go back to step ${step}.`,
    hint: `Stop it first with: supervisor stop ${id}. Or start a second run from there with: supervisor fork ${id} --at ${step}`,
  });
}

/** Each step of a workflow has limits and agents of its own, which the run keeps. */
export function refuseChangesOfWorkflow(id: string, changes: ResumeChanges): void {
  if (Object.keys(changes).length === 0) return;
  throw new Refusal({
    code: 'request.invalid',
    message: `Run ${id} follows a workflow, so its task, agents and limits cannot be changed.`,
    hint: `Resume it as it is with: supervisor resume ${id}`,
  });
}

/**
 * Refuses a long-lived agent, because two agents with one name and one workspace would conflict.
 */
export function refuseAgent({ id, program }: Pick<RunView, 'id' | 'program'>): void {
  if (program !== AGENT_PROGRAM) return;
  throw new Refusal({
    code: 'request.invalid',
    message: `${id} is a long-lived agent, and its history cannot be forked.`,
    hint: 'Spawn another one with: supervisor spawn "…"',
  });
}
