/** Workflows without their commits, and for comparisons also without their people. Their gates stay. */
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import type {
  GateStep,
  WorkflowDefinition,
  WorkflowStep,
} from '../../protocol/workflow-definition.ts';

/** No person is asked, and nothing is committed. `name`: the name of the definition that comes out. */
export function unattended(definition: WorkflowDefinition, name: string): WorkflowDefinition {
  return leaveOut(definition, name, (step) =>
    step.kind === 'human' ? undefined : asGate({ ...step, humanApproval: false }),
  );
}

/** Nothing is committed: the caller does that. People decide as before. */
export function uncommitted(definition: WorkflowDefinition, name: string): WorkflowDefinition {
  return leaveOut(definition, name, asGate);
}

/** `keep` returns undefined for a step that is left out. Links go past it. */
function leaveOut(
  definition: WorkflowDefinition,
  name: string,
  keep: (step: WorkflowStep) => WorkflowStep | undefined,
): WorkflowDefinition {
  const all = Object.values(definition.steps);
  const kept = all.flatMap((step) => keep(step) ?? []);
  const next = new Map(all.map((step) => [step.id, step.next]));
  const isKept = new Set(kept.map(({ id }) => id));
  const past = (id: string | null): string | null => {
    let at = id;
    for (let hops = 0; at !== null && !isKept.has(at); hops += 1)
      at = hops > all.length ? null : (next.get(at) ?? null);
    return at;
  };
  const steps = kept.map((step): WorkflowStep => {
    const links = { next: past(step.next), onFail: past(step.onFail) };
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

/** The gates before a commit become a step. A commit without any is left out. */
function asGate(step: WorkflowStep): WorkflowStep | undefined {
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
