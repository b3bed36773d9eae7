/** Known bugs with workflows: approvals, gates, the work of earlier steps, failures of steps, and reviews. */
import type { Bug } from './named-tests.ts';

const CHEATS = 'test/gates/cheats.ts';
const PEOPLE = 'src/workflow/workflow-people.test.ts';
const FAILURES = 'src/workflow/workflow-failures.test.ts';
const REVIEWS = 'src/workflow/workflow-reviews.test.ts';
const GATE = 'test/gates/workflow-gate.test.ts';
const STOPPED = 'src/execution/perform-attempt-stopped.test.ts';
const WHOLE = 'test/e2e/workflow.slow.test.ts';
const REAL = 'test/real/workflow-enterprise.test.ts';

export const WORKFLOW_BUGS: readonly Bug[] = [
  // People
  [
    'an approval is given because time has passed',
    [
      'src/workflow/approval-needs.test.ts',
      'that is late is parked: it stays open, and a person may still decide',
    ],
    ['src/workflow/approval-needs.test.ts', 'that is late is rejected if the policy denies it'],
    [
      'test/e2e/approvals.slow.test.ts',
      'that no person decides about in time is rejected if the policy says so',
    ],
    ['src/config/load-refused.test.ts', 'an approval by time, with its place'],
    ['src/attempts/lessons.test.ts', 'a question without an answer never counts as a yes'],
  ],
  [
    'a person who only presses Enter approves',
    [PEOPLE, 'is not given by ${JSON.stringify(answer)}'],
  ],
  // Gates
  [
    'a worker redefines the gates of its own step',
    [GATE, 'takes its definition from the base, whichever step changed it'],
    [CHEATS, 'edits the gate, the test and the settings of Supervisor'],
  ],
  [
    'a worker edits the test that judges it',
    [CHEATS, 'edits the assertion'],
    [CHEATS, 'deletes the test'],
  ],
  // The work of earlier steps
  [
    'a step does not see the work of the step before it',
    [
      'src/owner/workflows/prepare-step.test.ts',
      'sees the work of earlier steps and not the project',
    ],
    [GATE, 'judges the named work, with what earlier steps did, and not the project'],
    [
      'src/workflow/workflow-program.test.ts',
      'moves only by steps that write, and all steps have the same base',
    ],
    [
      WHOLE,
      'plans, fixes what the gate and a reviewer find, waits for a person, and ends with its work',
    ],
  ],
  [
    'the work of a workflow is never committed',
    [
      WHOLE,
      'plans, fixes what the gate and a reviewer find, waits for a person, and ends with its work',
    ],
    [REAL, 'enterprise, with Claude, Codex and Gemini, ends with one commit and every event'],
  ],
  // Failures
  [
    'a step whose login is refused is repeated like any other',
    [FAILURES, 'to log in is never repeated'],
    [
      REVIEWS,
      'with a reviewer that cannot log in has no result, and the reviewer is not tried again',
    ],
  ],
  [
    'a step that ran out of time leaves nothing',
    [FAILURES, 'starts from the work that its failed run left'],
    [STOPPED, 'output before the deadline is recorded'],
  ],
  [
    'the time limit of a role is ignored',
    [FAILURES, 'has at most the time of its step for each attempt'],
  ],
  // Reviews and checkpoints
  [
    'a reviewer that fails counts as a rejection',
    [REVIEWS, 'tries a reviewer that fails once more, alone'],
    [REVIEWS, 'with a reviewer that fails twice has no result, and a person decides'],
  ],
  [
    'a template names roles that do not exist',
    [
      'src/workflow-files/package-workflows.test.ts',
      'load with the roles of the package in a project with gates',
    ],
  ],
  [
    'a workflow that was stopped cannot be resumed',
    [
      'src/workflow/workflow-fork.test.ts',
      'after a stop continues the step that was stopped, and repeats no other',
    ],
  ],
];
