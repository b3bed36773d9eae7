/** Runs a gate on the files of a project without a setup, to see whether it needs one. */
import { Refusal } from '../../base/errors.ts';
import { commandKey, newRunId } from '../../base/ids.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { findJudged, judgeProject } from '../../gates/baseline/judge-project.ts';
import { ensurePrivateDir } from '../../host/files/atomic-files.ts';
import { scratchDir } from '../../host/files/scratch-folder.ts';
import type { GateOutcome } from '../../protocol/contracts/gate-contract.ts';
import type { PinnedGate, PinnedSandbox } from '../../protocol/pinned-settings.ts';

/** Undefined: it can't be known without a run. */
export type TryGate = (gate: PinnedGate) => Promise<GateOutcome | undefined>;

/** A person waits for the result. A gate that takes longer has found what it needs. */
const TRIAL_MS_MAX = 60_000;

/** A stored result is used. `runs`: a gate without one is run, in the sandbox. */
export function tryGateIn(
  project: string,
  sandbox: PinnedSandbox,
  host: ExecutionHost,
  { runs }: { readonly runs: boolean },
): TryGate {
  return async (gate) => {
    try {
      await host.chooseBackend({ backend: sandbox.backend, image: sandbox.image, unsafe: false });
      await ensurePrivateDir(host.stateDir);
      await using output = await scratchDir(host.stateDir);
      const ports = { ...host, outputDir: () => Promise.resolve(output.path) };
      const request = {
        run: newRunId(host.random),
        key: commandKey('trial-gate'),
        input: { ...gate, project, sandbox, unsafe: false },
      };
      const known = await findJudged(request, ports);
      if (known !== undefined || !runs) return known;
      const never = new AbortController().signal;
      const context = {
        cancelSignal: never,
        killSignal: never,
        note: () => Promise.resolve(),
      };
      return await judgeProject(request, context, ports, TRIAL_MS_MAX);
    } catch (error) {
      // What keeps a gate from running here is told by the checks that follow.
      if (error instanceof Refusal) return undefined;
      throw error;
    }
  };
}
