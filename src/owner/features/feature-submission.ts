/** Turns a request for a feature into a submission. Its components, their workflows and its gates are pinned here. */
import { Refusal } from '../../base/errors.ts';
import { shortList, truncate } from '../../base/text.ts';
import { parseFeature } from '../../plan/parse-feature.ts';
import type { Feature } from '../../protocol/feature.ts';
import { allComponents, FEATURE_PROGRAM, interfaceOwners } from '../../protocol/feature.ts';
import type { FeatureSubmission, WorkflowSubmission } from '../../protocol/run-submission.ts';
import type { FeatureRequest } from '../../protocol/views/feature-view.ts';
import type { PinnedWorkflow, WorkflowDefinition } from '../../protocol/workflow-definition.ts';
import { GRAPH_CAPACITY } from '../../settings/graph-file.ts';
import { resolveGates } from '../../workflow-files/resolve-gates.ts';
import { nearest } from '../../yaml/nearest.ts';
import { quote } from '../../yaml/problem.ts';
import { suggest } from '../../yaml/schema-faults.ts';
import { branchName } from '../../workflow/branch-name.ts';
import type { WorkflowRequest } from '../workflows/workflow-submission.ts';
import type { PinnedGate } from '../../protocol/pinned-settings.ts';
import { typesGate } from './types-gate.ts';
import { judgeGates, uncommitted } from '../workflows/unattended.ts';

export type FeaturePorts = {
  /** The workflow of the project. Null: it has none. */
  readonly projectWorkflow: string | null;
  readonly load: (template: string) => Promise<WorkflowDefinition>;
  /** The submission of a workflow with this definition. */
  readonly submit: (
    request: WorkflowRequest,
    definition: WorkflowDefinition,
  ) => Promise<WorkflowSubmission>;
  /** The major version of the TypeScript that the project has. Null: it has none. */
  readonly typeScript: (project: string) => Promise<number | null>;
  /** The gates of the project, which nodes of a graph name. */
  readonly gates: readonly PinnedGate[];
};

const BRANCH_PATTERN = 'ai/{task_id}-{slug}';
const TASK_CHARS_MAX = 200;
const GATES_SHOWN_MAX = 10;

export async function featureSubmission(
  request: FeatureRequest,
  ports: FeaturePorts,
): Promise<FeatureSubmission> {
  const { file, capacity, ...more } = request;
  const plan = parseFeature(file.text, file.name);
  if (plan.isGraph === true && capacity > GRAPH_CAPACITY) throw tooWide(capacity);
  const template = plan.workflow ?? ports.projectWorkflow;
  if (template === null) throw noWorkflow(file.name);
  const full = await ports.load(template);
  const definition = scoped(uncommitted(full, `${template} (component)`));
  const task = truncate(`${plan.id}: ${plan.title}`, TASK_CHARS_MAX);
  const asked = { ...more, task, workflow: template };
  const plain = await ports.submit(asked, definition);
  const { workflow, ...own } = plain.settings;
  const workflows: Record<string, PinnedWorkflow> = { '': workflow };
  for (const role of rolesOf(plan)) {
    const changed = withRole(workflow, role, template);
    workflows[role] = (await ports.submit(asked, changed)).settings.workflow;
  }
  const branch = branchName(full.git.branchPattern ?? BRANCH_PATTERN, plan.id, plan.title);
  const interfaceGates = await gatesOfInterfaces(plan, request.project, ports);
  const gates = judgeGates(full);
  const nodeGates = gatesOfNodes(plan, file.name, ports.gates);
  const feature = {
    ...{ plan, capacity, branch, workflows, gates, interfaceGates },
    ...(Object.keys(nodeGates).length === 0 ? {} : { nodeGates }),
  };
  return { ...plain, program: FEATURE_PROGRAM, settings: { ...own, feature } };
}

/** An agent sees the files of its component and the interfaces, whatever the workflow says. Blind roles stay blind. */
function scoped(definition: WorkflowDefinition): WorkflowDefinition {
  const steps = Object.entries(definition.steps).map(([id, step]) => [
    id,
    step.kind === 'role' ? { ...step, contextScope: 'component' } : step,
  ]);
  return { ...definition, steps: Object.fromEntries(steps) as WorkflowDefinition['steps'] };
}

/** Without types, or in a project without TypeScript, the check of the syntax is all. */
async function gatesOfInterfaces(
  plan: Feature,
  project: string,
  { typeScript }: FeaturePorts,
): Promise<readonly PinnedGate[]> {
  const types = [...interfaceOwners(plan).keys()].filter((path) => /\.d\.[cm]?ts$/.test(path));
  const major = types.length === 0 ? null : await typeScript(project);
  return major === null ? [] : [typesGate(major)];
}

/** By the name in the file: a gate of the project, or all of a kind such as test. */
function gatesOfNodes(
  plan: Feature,
  file: string,
  gates: readonly PinnedGate[],
): Readonly<Record<string, readonly PinnedGate[]>> {
  const wanted = allComponents(plan).flatMap(({ name, node }) =>
    node?.kind === 'gate' ? node.gates.map((gate) => ({ gate, node: name })) : [],
  );
  return Object.fromEntries(
    wanted.map(({ gate, node }) => {
      const found = resolveGates(gate, gates)?.gates ?? [];
      if (found.length > 0) return [gate, found];
      const names = gates.map(({ name }) => name);
      const hint =
        names.length === 0
          ? 'Add one to your settings under gates.'
          : `The project has: ${shortList(names, GATES_SHOWN_MAX)}.`;
      throw new Refusal({
        code: 'feature.invalid',
        message: `The node ${node} of ${file} names the gate ${quote(gate)}, which this project does not have${suggest(nearest(gate, names))}.`,
        hint,
        details: { file },
      });
    }),
  );
}

function tooWide(capacity: number): Refusal {
  return new Refusal({
    code: 'feature.invalid',
    message: `At most ${GRAPH_CAPACITY} nodes of a graph run side by side, not ${capacity}.`,
    hint: `Pass --capacity ${GRAPH_CAPACITY} or less.`,
  });
}

function rolesOf(plan: Feature): readonly string[] {
  return [...new Set(allComponents(plan).flatMap(({ role }) => (role === null ? [] : [role])))];
}

/** The role of a component takes the place of those that implement. */
function withRole(
  { definition, roles }: PinnedWorkflow,
  role: string,
  template: string,
): WorkflowDefinition {
  const isImplementing = (name: string): boolean => roles[name]?.answer === 'implementation';
  const steps = Object.entries(definition.steps).map(([id, step]) =>
    step.kind === 'role' && isImplementing(step.role) ? [id, { ...step, role }] : [id, step],
  );
  if (
    Object.values(definition.steps).every((one) => one.kind !== 'role' || !isImplementing(one.role))
  )
    throw new Refusal({
      code: 'feature.invalid',
      message: `A component names the role ${role}, and no step of the workflow ${template} implements anything.`,
      hint: 'Leave out the role, or choose another workflow.',
    });
  return { ...definition, steps: Object.fromEntries(steps) as WorkflowDefinition['steps'] };
}

function noWorkflow(file: string): Refusal {
  return new Refusal({
    code: 'feature.invalid',
    message: `${file} names no workflow, and this project has none of its own.`,
    hint: 'Add to the file: workflow: mvp. To list them: supervisor workflow',
    details: { file },
  });
}
