/**
 * Refuses a run whose gates need dependencies that no copy of the project has. Every attempt of such a run would be
 * paid for, and every gate would be red. The files only raise a suspicion. The gate itself decides, by running once.
 */
import { lacksDependencies } from '../../attempts/gates/lacks-dependencies.ts';
import { worksInProject } from '../../attempts/choice/works-in-project.ts';
import { Refusal } from '../../base/errors.ts';
import { setupLines } from '../../detection/config-lines.ts';
import type { MissingSetup } from '../../detection/missing-setup.ts';
import { findMissingSetup } from '../../detection/missing-setup.ts';
import { readListing } from '../../detection/read-listing.ts';
import type { RunRequest } from '../../protocol/api.ts';
import type { Submission } from '../../protocol/run-submission.ts';
import type { LongLivedSettings } from '../../protocol/long-lived-agent.ts';
import type { Settings } from '../../settings/settings.ts';
import type {
  AgentSpec,
  AttemptSettings,
  PinnedGate,
  PinnedSandbox,
  PinnedSetup,
} from '../../protocol/pinned-settings.ts';
import type { TryGate } from './try-gate.ts';

export type RunToSetUp = {
  readonly project: string;
  readonly agents: readonly Pick<AgentSpec, 'inProject'>[];
  readonly gates: readonly PinnedGate[];
  readonly setup: PinnedSetup | null;
  readonly sandbox: Pick<PinnedSandbox, 'image' | 'mounts' | 'grants'>;
  readonly unsafe: boolean;
  /** The user wants the run without a setup, or has switched this check off. */
  readonly withoutSetup: boolean;
  /** What would start. The default is a run. */
  readonly what?: 'run' | 'agent';
};

/** Does nothing if the run has a setup, needs none, or works in the project itself. */
export async function requireSetup(run: RunToSetUp, tryGate: TryGate): Promise<void> {
  const suspicions = await suspectMissingSetup(run);
  for (const { missing, gate } of suspicions) {
    const outcome = await tryGate(gate);
    // If the gate can't be tried here, the files decide.
    if (outcome === undefined || lacksDependencies(outcome))
      throw setupRefusal(missing, run.what ?? 'run');
  }
}

export type Suspicion = { readonly missing: MissingSetup; readonly gate: PinnedGate };

/** The gates that lack a setup as far as the files tell. */
export async function suspectMissingSetup(run: RunToSetUp): Promise<readonly Suspicion[]> {
  const { project, agents, setup, sandbox, unsafe, withoutSetup } = run;
  const isInProject = agents.every((agent) => worksInProject(agent, unsafe));
  // An image may contain the dependencies, and only a run can tell.
  if (setup !== null || withoutSetup || isInProject || sandbox.image !== null) return [];
  const gates = run.gates.filter(({ warns }) => warns !== true);
  if (gates.length === 0) return [];
  const { mounts, grants } = sandbox;
  const given = {
    inside: [...mounts.map(({ to }) => to), ...grants.files],
    shared: [...mounts.map(({ from }) => from), ...grants.toolchains],
  };
  const listing = await readListing(project);
  return gates.flatMap((gate) => {
    const missing = findMissingSetup(listing, [gate], given);
    return missing === null ? [] : [{ missing, gate }];
  });
}

/** What this check needs of a submission. */
export function runToSetUp(
  { project, settings }: Submission,
  { withoutSetup: isUnwanted = false }: Pick<RunRequest, 'withoutSetup'>,
  { requireSetup: isRequired }: Pick<Settings, 'requireSetup'>,
): RunToSetUp {
  const { agent, chain = [agent], gates = [], setup, sandbox, unsafe = false } = settings;
  const withoutSetup = isUnwanted || !isRequired;
  return { project, agents: chain, gates, setup, sandbox, unsafe, withoutSetup };
}

/** The same for a long-lived agent: the commands of its commitments are its gates. */
export function agentToSetUp(
  { agent, setup, sandbox, unsafe = false, longLived }: AgentToSetUp,
  project: string,
  { requireSetup: isRequired }: Pick<Settings, 'requireSetup'>,
): RunToSetUp {
  const gates = longLived.commitments.map(({ description, assertion, timeoutMs }) => ({
    name: description,
    command: assertion,
    timeoutMs,
  }));
  const withoutSetup = !isRequired;
  return { project, agents: [agent], gates, setup, sandbox, unsafe, withoutSetup, what: 'agent' };
}

export type AgentToSetUp = Pick<AttemptSettings, 'agent' | 'setup' | 'sandbox' | 'unsafe'> & {
  readonly longLived: Pick<LongLivedSettings, 'commitments'>;
};

const START = {
  run: { of: 'gate', otherwise: 'continue without a setup with --without-setup' },
  agent: { of: 'commitment', otherwise: 'set require_setup: false to continue without a setup' },
} as const;

function setupRefusal(
  { gate, folder, isIgnored, setup, python }: MissingSetup,
  what: 'run' | 'agent',
): Refusal {
  const { of, otherwise } = START[what];
  const why = isIgnored ? ', which git ignores' : '';
  const lines = setupLines(setup).join('\n');
  const start = python === null ? '' : ` Start the ${of} with ${python}, which this setup makes.`;
  return new Refusal({
    code: 'setup.missing',
    message: `The ${of} ${JSON.stringify(gate)} needs ${folder}${why}, and no copy of this project has it. No ${what} was started.`,
    hint: `Add these lines to .supervisor/config.yaml, or ${otherwise}.${start}\n${lines}`,
    details: { lines },
  });
}
