/** Lists the artifacts of a run, and copies them to a folder of the user. */
import { artifactFile, readArtifacts } from '../../execution/collect-artifacts.ts';
import { Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import { copyOut } from '../../host/files/copy-out.ts';
import type { RunArtifacts } from '../../protocol/api.ts';
import type { RunView } from '../../protocol/views/run-view.ts';

export class RunArtifactsApi {
  readonly #home: string;
  readonly #view: (id: RunId) => Promise<RunView>;

  /** `view` refuses with `run.not-found`. */
  constructor(home: string, view: (id: RunId) => Promise<RunView>) {
    this.#home = home;
    this.#view = view;
  }

  async list(id: RunId): Promise<RunArtifacts> {
    await this.#view(id);
    const stored = await readArtifacts(this.#home, id);
    return {
      files: stored.flatMap(({ key, files }) => files.map((file) => ({ attempt: key, ...file }))),
      refused: stored.flatMap(({ key, refused }) =>
        refused.map((one) => ({ attempt: key, ...one })),
      ),
    };
  }

  /** The paths of the stored artifacts. */
  async paths(id: RunId): Promise<readonly string[]> {
    const { files } = await this.list(id);
    return files.map(({ attempt, path }) => artifactFile(this.#home, id, attempt, path));
  }

  async copy(id: RunId, to: string): Promise<RunArtifacts> {
    const artifacts = await this.list(id);
    if (artifacts.files.length === 0) return artifacts; // no folder is created for nothing
    const keys = [...new Set(artifacts.files.map(({ attempt }) => attempt))];
    const folders = keys.map((key) => ({ from: artifactFile(this.#home, id, key, ''), name: key }));
    if (await copyOut(folders, to)) return artifacts;
    throw new Refusal({
      code: 'request.invalid',
      message: `${to} already holds ${keys.join(' or ')}. Nothing was copied.`,
      hint: 'Name a folder that is empty or does not exist yet.',
    });
  }
}
