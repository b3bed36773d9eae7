/** How far the workspaces of runs are that are being prepared now. Nothing of it is stored. */
import type { OnPreparing } from '../execution/environments/run-workspace.ts';
import type { TreeProgress } from '../workspace/git.ts';

export class Preparations {
  readonly #underWay = new Map<string, TreeProgress>();

  readonly report: OnPreparing = (run, progress) => {
    if (progress === null) this.#underWay.delete(run);
    else this.#underWay.set(run, progress);
  };

  /** In words: `preparing the workspace: 1200 of 30000 files read`. */
  describe(run: string): string | null {
    const progress = this.#underWay.get(run);
    return progress === undefined ? null : `preparing the workspace: ${describeStage(progress)}`;
  }
}

function describeStage({ stage, done, total }: TreeProgress): string {
  if (stage !== 'reading') return `${stage} the copy`;
  return done === null || total === null ? 'reading files' : `${done} of ${total} files read`;
}
