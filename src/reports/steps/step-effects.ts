/** How the steps of one workflow changed its outcome, as far as its facts show it. */
import type { StepShape, StepTimeline, StepVisit } from './step-visits.ts';

export type StepEffects = {
  /** The work is another one after the step. */
  readonly changedWork: boolean;
  /** A gate was red before the step and green after it. */
  readonly repaired: boolean;
  /** The step sent the work back, and it was changed then. Of a gate: and the gate was green at last. */
  readonly wasFollowed: boolean;
  /** A person rejected the work for good at the step. */
  readonly rejected: boolean;
};

/** The results of gates inside the run of a step, oldest first: its agent repairs what they find before the step ends. */
export type InnerGate = { readonly name: string; readonly isGreen: boolean };
export type InnerGates = (run: string) => readonly InnerGate[];

/** For each step that ran. */
export function effectsOf(
  timeline: StepTimeline,
  innerGates: InnerGates,
): ReadonlyMap<string, StepEffects> {
  const ran = timeline.shapes.filter(({ id }) => timeline.visits.some(({ step }) => step === id));
  return new Map(ran.map((shape) => [shape.id, effectsOfStep(timeline, shape, innerGates)]));
}

function effectsOfStep(
  { shapes, visits, rejectedAt }: StepTimeline,
  shape: StepShape,
  innerGates: InnerGates,
): StepEffects {
  const { id, writes, gates } = shape;
  const own = visits.filter(({ step }) => step === id);
  const repairedInside = (visit: StepVisit): readonly string[] =>
    visit.children.flatMap((run) => repairedGates(innerGates(run)));
  const writers = new Set(shapes.flatMap((one) => (one.writes ? [one.id] : [])));
  const inside = visits.filter(({ step }) => writers.has(step)).flatMap(repairedInside);
  return {
    changedWork: writes && own.some(({ changed }) => changed),
    repaired:
      writes && own.some((visit) => repairs(visits, visit) || repairedInside(visit).length > 0),
    wasFollowed:
      visits.some((visit, at) => visit.sentBackBy === id && isFollowed(visits, visit, at, own)) ||
      gates.some((name) => inside.includes(name)),
    rejected: rejectedAt.includes(id),
  };
}

/** A gate step that was red just before the visit is green the next time. */
function repairs(visits: readonly StepVisit[], visit: StepVisit): boolean {
  if (!visit.changed) return false;
  const at = visits.indexOf(visit);
  const judged = visits.filter(({ gate }) => gate !== null);
  return judged.some((red) => {
    const place = visits.indexOf(red);
    if (red.gate !== 'red' || place > at) return false;
    const next = judged.find((one) => one.step === red.step && visits.indexOf(one) > place);
    return next?.gate === 'green' && visits.indexOf(next) > at;
  });
}

/** `sender`: the visits of the step that sent the work back. */
function isFollowed(
  visits: readonly StepVisit[],
  visit: StepVisit,
  at: number,
  sender: readonly StepVisit[],
): boolean {
  if (!visit.changed) return false;
  const last = visits.slice(0, at).findLast((one) => sender.includes(one));
  if (last?.gate !== 'red') return true;
  return sender.some((one) => one.gate === 'green' && visits.indexOf(one) > at);
}

function repairedGates(gates: readonly InnerGate[]): readonly string[] {
  return gates
    .filter(
      ({ name, isGreen }, at) =>
        !isGreen && gates.slice(at).some((later) => later.name === name && later.isGreen),
    )
    .map(({ name }) => name);
}
