/** What of a feature has landed so far, by the program's own fold: the work that its branch has. */
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import type { WorkAt } from '../../execution/work-point.ts';
import { workIn } from '../../execution/work-point.ts';
import { featureProgram } from '../../plan/feature-program.ts';
import type { FeatureState } from '../../plan/feature-state.ts';
import { featureOf } from '../../plan/feature-state.ts';
import { laneNamed, laneNames, laneSettings } from '../../plan/lanes.ts';
import type { Journal } from '../../store/journal.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';

/** `project`: the path of one that the feature spans. Default: that of the run. Undefined: nothing has landed there. */
export async function workOfFeature(
  journal: Journal,
  run: RunId,
  project: string | undefined,
  home: string,
  git: WorkspacePorts,
): Promise<WorkAt | undefined> {
  const loaded = await loadRun(journal, featureProgram, run);
  if (loaded === undefined) return undefined;
  const state = loaded.state as FeatureState;
  const path = project ?? state.project;
  const names = laneNames(featureOf(state).plan);
  const lane = names.find((name) => laneSettings(state, name).path === path);
  if (lane === undefined) throw notSpanned(run, path, names);
  const { tip, base } = laneNamed(state, lane);
  const isEmpty = tip === null || tip.commit === base?.commit;
  return isEmpty ? undefined : workIn(path, tip, home, git);
}

function notSpanned(run: RunId, path: string, names: readonly string[]): Refusal {
  return new Refusal({
    code: 'request.invalid',
    message: `The feature of run ${run} does not change the project ${path}.`,
    hint: names.length > 1 ? `It spans ${names.join(', ')}.` : 'Leave out --project.',
  });
}
