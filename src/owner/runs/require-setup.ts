/**
 * Refuses a run whose gates need dependencies that no copy of the project has. Every attempt of such a run would be
 * paid for, and every gate would be red.
 */
import { Refusal } from '../../base/errors.ts';
import { setupLines } from '../../detection/config-lines.ts';
import type { MissingSetup } from '../../detection/missing-setup.ts';
import { findMissingSetup } from '../../detection/missing-setup.ts';
import { readListing } from '../../detection/read-listing.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Submission } from '../../protocol/event.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type {
  AgentSpec,
  PinnedGate,
  PinnedSandbox,
  PinnedSetup,
} from '../../protocol/pinned-settings.ts';

export type RunToSetUp = {
  readonly project: string;
  readonly agents: readonly Pick<AgentSpec, 'cli'>[];
  readonly gates: readonly PinnedGate[];
  readonly setup: PinnedSetup | null;
  readonly sandbox: Pick<PinnedSandbox, 'image' | 'mounts'> & {
    readonly grants?: { readonly files: readonly string[] };
  };
  readonly unsafe: boolean;
  /** The user wants the run without a setup. */
  readonly withoutSetup: boolean;
};

/** Does nothing if the run has a setup, needs none, or works in the project itself. */
export async function requireSetup(run: RunToSetUp): Promise<void> {
  const { project, agents, setup, sandbox, unsafe, withoutSetup } = run;
  const isUnsandboxed = unsafe || agents.every(({ cli }) => cli === 'scripted');
  // An image may contain the dependencies, and only a run can tell.
  if (setup !== null || withoutSetup || isUnsandboxed || sandbox.image !== null) return;
  const gates = run.gates.filter(({ warns }) => warns !== true);
  if (gates.length === 0) return;
  const given = [...sandbox.mounts.map(({ to }) => to), ...(sandbox.grants?.files ?? [])];
  const missing = findMissingSetup(await readListing(project), gates, given);
  if (missing !== null) throw setupRefusal(missing);
}

/** What this check needs of a submission. */
export function runToSetUp(
  { project, settings }: Submission,
  { withoutSetup = false }: Pick<RunRequest, 'withoutSetup'>,
): RunToSetUp {
  const { agent, chain = [agent], gates = [], setup = null, unsafe = false } = settings;
  const sandbox = settings.sandbox ?? defaultSettings.sandbox;
  return { project, agents: chain, gates, setup, sandbox, unsafe, withoutSetup };
}

function setupRefusal({ gate, folder, isIgnored, setup, python }: MissingSetup): Refusal {
  const why = isIgnored ? ', which git ignores' : '';
  const lines = setupLines(setup).join('\n');
  const start = python === null ? '' : ` Start the gate with ${python}, which this setup makes.`;
  return new Refusal({
    code: 'setup.missing',
    message: `The gate ${JSON.stringify(gate)} needs ${folder}${why}, and no copy of this project has it. No run was started.`,
    hint: `Add these lines to .supervisor/config.yaml, or continue without a setup with --without-setup.${start}\n${lines}`,
    details: { lines },
  });
}
