/** A workflow without its people and its commits, for the trials of a comparison. Its gates stay. */
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import type {
  GateStep,
  WorkflowDefinition,
  WorkflowStep,
} from '../../protocol/workflow-definition.ts';

/** `name`: the name of the definition that comes out. */
export function unattended(definition: WorkflowDefinition, name: string): WorkflowDefinition {
  const all = Object.values(definition.steps);
  const kept = all.flatMap((step) => asUnattended(step) ?? []);
  const next = new Map(all.map((step) => [step.id, step.next]));
  const isKept = new Set(kept.map(({ id }) => id));
  /** Links go past a step that is left out. */
  const past = (id: string | null): string | null => {
    let at = id;
    for (let hops = 0; at !== null && !isKept.has(at); hops += 1)
      at = hops > all.length ? null : (next.get(at) ?? null);
    return at;
  };
  const steps = kept.map((step): WorkflowStep => {
    const links = { next: past(step.next), onFail: past(step.onFail), humanApproval: false };
    return 'onReject' in step
      ? { ...step, ...links, onReject: past(step.onReject) }
      : { ...step, ...links };
  });
  return {
    ...definition,
    name,
    initialStep: past(definition.initialStep) ?? definition.initialStep,
    steps: Object.fromEntries(steps.map((step) => [step.id, step])),
  };
}

/** The gates before a commit become a step. Undefined: the step is left out. */
function asUnattended(step: WorkflowStep): WorkflowStep | undefined {
  if (step.kind === 'human') return undefined;
  if (step.kind !== 'commit') return step;
  const { before, pullRequest: _, kind: _kind, ...base } = step;
  const gate: GateStep = { ...base, kind: 'gate', gates: before };
  return before.length === 0 ? undefined : gate;
}

/** The gates of the workflow that decide. Each name appears once. */
export function judgeGates({ steps }: WorkflowDefinition): readonly PinnedGate[] {
  const all = Object.values(steps).flatMap((step) =>
    step.kind === 'gate' ? step.gates : step.kind === 'commit' ? step.before : [],
  );
  const deciding = all.filter(({ warns }) => warns !== true);
  return [...new Map(deciding.map((gate) => [gate.name, gate])).values()];
}
