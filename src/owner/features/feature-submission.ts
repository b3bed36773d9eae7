/** Turns a request for a feature into a submission. Its components, their workflows and its gates are pinned here. */
import { Refusal } from '../../base/errors.ts';
import { shortList, truncate } from '../../base/text.ts';
import type { FoundFolder, LocatedProject } from '../../plan/locate-projects.ts';
import { locateProjects } from '../../plan/locate-projects.ts';
import type { ParsedFeature } from '../../plan/parse-feature.ts';
import { parsePlaced } from '../../plan/parse-feature.ts';
import type { Component, Feature, PinnedFeature, PinnedProject } from '../../protocol/feature.ts';
import { allComponents, FEATURE_PROGRAM } from '../../protocol/feature.ts';
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

/** What is read of one project. */
export type LanePorts = {
  /** The absolute path of the project. */
  readonly path: string;
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

export type FeaturePorts = LanePorts & {
  /** The same of another project. Refuses one that the user has not trusted. */
  readonly open: (path: string) => Promise<LanePorts>;
  /** What is at a path. */
  readonly look: (path: string) => Promise<FoundFolder>;
};

const BRANCH_PATTERN = 'ai/{task_id}-{slug}';
const TASK_CHARS_MAX = 200;
const GATES_SHOWN_MAX = 10;

export async function featureSubmission(
  request: FeatureRequest,
  ports: FeaturePorts,
): Promise<FeatureSubmission> {
  const { file, capacity } = request;
  const parsed = parsePlaced(file.text, file.name);
  const { feature: plan } = parsed;
  if (plan.isGraph === true && capacity > GRAPH_CAPACITY) throw tooWide(capacity);
  const located = await locate(parsed, ports);
  const own = located.find(({ path }) => path === ports.path)?.name;
  const { plain, full, ...lane } = await pinLane(request, plan, own, ports);
  const projects: Record<string, PinnedProject> = {};
  for (const { name, path } of located) {
    if (name === own) continue;
    const pinned = await pinLane(request, plan, name, await ports.open(path));
    const { workflow: _, ...settings } = pinned.plain.settings;
    const { workflows, gates, interfaceGates } = pinned;
    projects[name] = { path, settings, workflows, gates, interfaceGates };
  }
  const branch = branchName(full.git.branchPattern ?? BRANCH_PATTERN, plan.id, plan.title);
  const nodeGates = gatesOfNodes(plan, file.name, ports.gates);
  const feature = {
    ...{ plan, capacity, branch, ...lane },
    ...(Object.keys(nodeGates).length === 0 ? {} : { nodeGates }),
    ...(Object.keys(projects).length === 0 ? {} : { projects }),
  };
  const { workflow: _, ...settings } = plain.settings;
  return { ...plain, program: FEATURE_PROGRAM, settings: { ...settings, feature } };
}

async function locate(
  { feature: { projects }, refuseIf }: ParsedFeature,
  { path, look }: Pick<FeaturePorts, 'path' | 'look'>,
): Promise<readonly LocatedProject[]> {
  let located: readonly LocatedProject[] = [];
  if (projects !== undefined)
    await refuseIf(async (report) => {
      located = await locateProjects(projects, path, look, report);
    });
  return located;
}

type Lane = Pick<PinnedFeature, 'workflows' | 'gates'> & {
  readonly interfaceGates: readonly PinnedGate[];
  /** The submission of a workflow without the role of a component. */
  readonly plain: WorkflowSubmission;
  /** The workflow as it is, with its commit. */
  readonly full: WorkflowDefinition;
};

/** What the components of one project are built with. `project`: undefined if the feature is about one. */
async function pinLane(
  request: FeatureRequest,
  plan: Feature,
  project: string | undefined,
  ports: LanePorts,
): Promise<Lane> {
  const { file, capacity: _, ...more } = request;
  const template = plan.workflow ?? ports.projectWorkflow;
  if (template === null) throw noWorkflow(file.name, project);
  const full = await ports.load(template);
  const definition = scoped(uncommitted(full, `${template} (component)`));
  const task = truncate(`${plan.id}: ${plan.title}`, TASK_CHARS_MAX);
  const asked = { ...more, project: ports.path, task, workflow: template };
  const plain = await ports.submit(asked, definition);
  const { workflow } = plain.settings;
  const components = allComponents(plan).filter((one) => one.project === project);
  const workflows: Record<string, PinnedWorkflow> = { '': workflow };
  for (const role of rolesOf(components)) {
    const changed = withRole(workflow, role, template);
    workflows[role] = (await ports.submit(asked, changed)).settings.workflow;
  }
  const interfaceGates = await gatesOfInterfaces(components, ports);
  return { plain, full, workflows, gates: judgeGates(full), interfaceGates };
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
  components: readonly Component[],
  { path: project, typeScript }: LanePorts,
): Promise<readonly PinnedGate[]> {
  const paths = components.flatMap(({ interfaces = [] }) => interfaces.map((one) => one.path));
  const types = paths.filter((path) => /\.d\.[cm]?ts$/.test(path));
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

function rolesOf(components: readonly Component[]): readonly string[] {
  return [...new Set(components.flatMap(({ role }) => (role === null ? [] : [role])))];
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

function noWorkflow(file: string, project: string | undefined): Refusal {
  const which = project === undefined ? 'this project' : `the project ${quote(project)}`;
  return new Refusal({
    code: 'feature.invalid',
    message: `${file} names no workflow, and ${which} has none of its own.`,
    hint: 'Add to the file: workflow: mvp. To list them: supervisor workflow',
    details: { file },
  });
}
