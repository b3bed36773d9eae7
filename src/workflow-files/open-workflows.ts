/** All workflows that a project can use, with the roles and gates that they are checked against. */
import { basename } from 'node:path';
import { defined } from '../base/defined.ts';
import { isRefusal } from '../base/errors.ts';
import type { LoadedSettings } from '../config/load-settings.ts';
import { withPacks } from '../packs/installed-packs.ts';
import { roleSources } from '../roles/role-path.ts';
import type { FileTexts } from '../trust/trusted-project.ts';
import { describePlace } from '../yaml/problem.ts';
import { listLeaves, treeAt } from '../yaml/yaml-tree.ts';
import type { YamlTree } from '../yaml/yaml-tree.ts';
import { openRoles } from './find-roles.ts';
import { chosenName, loadPlacedWorkflow, loadWorkflow } from './load-workflow.ts';
import type { LoadedWorkflow, WorkflowSurroundings } from './load-workflow.ts';
import { listWorkflowFiles, PROJECT_WORKFLOW } from './workflow-path.ts';
import type { PlacedWorkflow, WorkflowPlaces } from './workflow-path.ts';
import { readDescription } from './read-layers.ts';

export type WorkflowLine = {
  readonly placed: PlacedWorkflow;
  readonly description: string;
  /** Its steps in order, as the project would run them. Null: it cannot be used here. */
  readonly steps: readonly string[] | null;
  /** Why it cannot be used. */
  readonly problem: string | null;
};

export type Workflows = {
  /** What a task of this project uses if it names no workflow. Null: the configuration chooses none. */
  readonly projectWorkflow: string | null;
  /** `without`: a step to leave out. */
  readonly load: (name: string, without?: string) => Promise<LoadedWorkflow>;
  /** Loads a file wherever it is, as if it were the nearest one with its name. */
  readonly loadFile: (file: string) => Promise<LoadedWorkflow>;
  /** Each name once, as the nearest file defines it. Templates that are only extended are left out. */
  readonly list: () => Promise<readonly WorkflowLine[]>;
  /** The problems with the names of files. */
  readonly misnamed: readonly string[];
};

export type OpenWorkflows = WorkflowPlaces & {
  readonly files: FileTexts;
  readonly loaded: Pick<LoadedSettings, 'settings' | 'written'>;
};

export async function openWorkflows(options: OpenWorkflows): Promise<Workflows> {
  const { loaded, home, project, packageData } = options;
  const files = withPacks(home, options.files);
  const { settings, written } = loaded;
  const { placed, problems } = await listWorkflowFiles(options, files);
  const chosen = treeAt(written, ['workflow']);
  const { autoBranch, branchPattern, autoCommit, pullRequests } = settings.git;
  const around: WorkflowSurroundings = {
    placed,
    files,
    roles: await openRoles(roleSources({ home, packageData, ...defined({ project }) }), files),
    gates: settings.gates,
    chosen,
    git: { branchPattern: autoBranch ? branchPattern : null, autoCommit, pullRequests },
  };
  const hasOwn = placed.some(({ name }) => name === PROJECT_WORKFLOW);
  const isChosen = chosen !== undefined && listLeaves(chosen).some(({ leaf }) => isSaid(leaf));
  const named = isChosen ? chosenName(chosen) : null;
  return {
    projectWorkflow: named ?? (hasOwn ? PROJECT_WORKFLOW : null),
    load: (name, without) => loadWorkflow(name, { ...around, ...defined({ without }) }),
    loadFile: (file) => {
      const own = placed.find((one) => one.file === file);
      const name = basename(file).replace(/\.ya?ml$/i, '');
      const added: PlacedWorkflow = own ?? { name, file, level: 'user' };
      const all = own === undefined ? [added, ...placed] : placed;
      return loadPlacedWorkflow(added, { ...around, placed: all });
    },
    list: () => listWorkflows(around),
    misnamed: problems.map(({ place, message }) => `${describePlace(place)}: ${message}`),
  };
}

/** An empty list or map says nothing. */
function isSaid({ kind }: YamlTree): boolean {
  return kind === 'scalar';
}

async function listWorkflows(around: WorkflowSurroundings): Promise<readonly WorkflowLine[]> {
  const lines: WorkflowLine[] = [];
  const seen = new Set<string>();
  for (const placed of around.placed) {
    if (seen.has(placed.name) || placed.name.startsWith('_')) continue;
    seen.add(placed.name);
    try {
      const { definition } = await loadPlacedWorkflow(placed, around);
      const { description, steps } = definition;
      lines.push({ placed, description, steps: Object.keys(steps), problem: null });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const description = await readDescription(placed, around.files);
      lines.push({ placed, description, steps: null, problem: error.message });
    }
  }
  return lines;
}
