/** Uses the result of a gate again, if an earlier run has judged the same files in the same environment. */
import type { CommandRequest } from '../engine/performer.ts';
import { workspacePortsFor } from '../execution/environments/environment.ts';
import { grantedTo } from '../execution/environments/prepare-tree.ts';
import { refusalOr } from '../execution/refusal-outcome.ts';
import type { GateOutcome } from '../protocol/contracts/gate-contract.ts';
import { openShadowRepo, readTree, treeOfCommit } from '../workspace/shadow-repo.ts';
import { requireRecord, workspacePaths } from '../workspace/workspace.ts';
import { baselineKey } from './baseline/baseline-key.ts';
import { findStored, storeBaseline } from './baseline/baseline-store.ts';
import { findSubject, isOnBase } from './find-subject.ts';
import { nameInputs } from './cache-inputs.ts';
import type { GatePorts } from './perform-gate.ts';

/** `judge` runs the gate. Its result is stored if the gate wants that and everything that decides has a name. */
export async function cachedOr(
  request: CommandRequest<'gate'>,
  ports: GatePorts,
  judge: () => Promise<GateOutcome>,
): Promise<GateOutcome> {
  const { cacheMs, name } = request.input;
  // What can't be done here is said by the gate itself.
  const key = cacheMs === undefined ? undefined : await refusalOr(cacheKey(request, ports));
  if (cacheMs === undefined || typeof key !== 'string') return judge();
  const { stateDir, clock } = ports;
  const known = await findStored(stateDir, key, clock.now(), cacheMs);
  // A red result may be one of chance, and a run that is resumed or repeated has to get past it.
  if (known?.outcome.kind === 'passed') return { ...known.outcome, name, cachedAtMs: known.atMs };
  const outcome = await judge();
  if (outcome.kind === 'passed') await storeBaseline(stateDir, key, outcome, clock.now());
  return outcome;
}

/** Undefined: the attempt worked in the project itself, or something decides that can't be named. */
async function cacheKey(
  request: CommandRequest<'gate'>,
  ports: GatePorts,
): Promise<string | undefined> {
  const { input } = request;
  // The base has a store of its own, and a gate without a sandbox sees the whole machine.
  if (isOnBase(input) || input.unsafe) return undefined;
  const committed = await findSubject(request, ports);
  if (committed.kind !== 'committed') return undefined;
  const { workspace, commit } = committed;
  const { base, inside } = await requireRecord(workspace);
  const { cacheInputs } = input;
  const repo = await openShadowRepo(
    workspacePaths(workspace).project,
    workspacePortsFor(ports, request),
  );
  // Files of the base decide how the work is judged.
  const nameOf = async (one: string): Promise<string> =>
    cacheInputs === undefined
      ? treeOfCommit(repo, one)
      : nameInputs(await readTree(repo, one), cacheInputs, inside);
  const trees = [await nameOf(base), await nameOf(commit)];
  const { sandbox, testsMayChange = false, acceptsUnprotected = false } = input;
  const { backend } = await ports.chooseBackend({
    backend: sandbox.backend,
    image: sandbox.image,
    unsafe: false,
  });
  const { root } = workspace;
  const granted = grantedTo(sandbox, { ...ports, root });
  const content = ['gate', ...trees, testsMayChange, acceptsUnprotected].join(' ');
  const subject = { root, content, inside, backend, granted };
  return baselineKey({ ...input, worksInProject: false }, subject, ports);
}
