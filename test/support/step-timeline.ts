/** The timeline of a workflow that was driven by a script, for tests of reports about steps. */
import type { NewRunEvent, RunEvent } from '../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import { runStream } from '../../src/protocol/streams.ts';
import type { StepTimeline } from '../../src/reports/steps/step-visits.ts';
import { foldStepTimeline } from '../../src/reports/steps/step-visits.ts';
import type { WorkflowScript } from './drive-workflow.ts';
import { driveWorkflow } from './drive-workflow.ts';
import { workflowSubmission } from './workflow-fixture.ts';

/** The facts of the workflow, with its submission. */
export function factsOfScript(script: WorkflowScript): readonly NewRunEvent[] {
  const payload = workflowSubmission(script.definition);
  return [{ type: 'run.submitted', payload }, ...driveWorkflow(script).events];
}

/** One second passes between two facts. */
function factsOf(script: WorkflowScript, run: string): readonly RunEvent[] {
  return factsOfScript(script).map((event, index) => ({
    ...{ id: index + 1, stream: runStream(run), seq: index + 1, v: EVENT_VERSION },
    ...{ at: index * 1000, ...event },
  }));
}

export function timelineOf(script: WorkflowScript, run = '0123456789'): StepTimeline {
  const facts = factsOf(script, run);
  const timeline = facts.reduce<StepTimeline | undefined>(foldStepTimeline, undefined);
  if (timeline === undefined) throw new Error('it is no workflow');
  return timeline;
}
