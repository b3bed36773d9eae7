/** Workflows in the folders of the project, the user and the package, as texts. */
import type { AnswerKind } from '../../src/protocol/answer.ts';
import type { PinnedGate } from '../../src/protocol/pinned-settings.ts';
import { loadSettings } from '../../src/config/load-settings.ts';
import { listFolder } from '../../src/host/files/list-folder.ts';
import { packageData } from '../../src/host/files/package-data.ts';
import { readTextFile } from '../../src/host/files/read-text-file.ts';
import { openWorkflows } from '../../src/workflow-files/open-workflows.ts';
import type { Workflows } from '../../src/workflow-files/open-workflows.ts';
import { TrustedProject } from '../../src/trust/trusted-project.ts';
import { readYaml } from '../../src/yaml/read-yaml.ts';
import { loadWorkflow } from '../../src/workflow-files/load-workflow.ts';
import type {
  LoadedWorkflow,
  WorkflowSurroundings,
} from '../../src/workflow-files/load-workflow.ts';
import { listWorkflowFiles } from '../../src/workflow-files/workflow-path.ts';

type WorkflowTexts = Readonly<Record<string, string>>;

/** `p/`, `u/` and `b/` stand for the folders of the project, the user and the package. */
const FOLDERS = { p: '/p/.supervisor/workflows', u: '/u/workflows', b: '/b/workflows' } as const;

const ROLES: Readonly<Record<string, AnswerKind>> = {
  planner: 'plan',
  tech_lead: 'plan',
  implementer: 'implementation',
  implementer_fast: 'implementation',
  test_engineer: 'implementation',
  quant_dev: 'implementation',
  risk_manager: 'review',
  reviewer: 'review',
  reviewer_codex: 'review',
  reviewer_gemini: 'review',
  security_auditor: 'review',
  security_auditor_external: 'review',
  investigator: 'generic',
};

export const GATES: readonly PinnedGate[] = ['test', 'lint', 'typecheck'].map((name) => ({
  name,
  command: ['make', name],
  timeoutMs: 1000,
}));

export type FixtureOptions = {
  readonly gates?: readonly PinnedGate[];
  /** The text of `workflow` in a configuration file. */
  readonly chosen?: string;
  readonly git?: Partial<WorkflowSurroundings['git']>;
  /** A step that the command line leaves out. */
  readonly without?: string;
};

export async function loadWorkflowText(
  name: string,
  texts: WorkflowTexts,
  { gates = GATES, chosen, git, without }: FixtureOptions = {},
): Promise<LoadedWorkflow> {
  const paths = new Map(
    Object.entries(texts).map(([short, text]) => {
      if (short === 'workflow.yaml') return ['/p/.supervisor/workflow.yaml', text];
      const folder = FOLDERS[short.slice(0, 1) as keyof typeof FOLDERS];
      return [`${folder}${short.slice(1)}`, text];
    }),
  );
  const files = {
    read: async (path: string) => paths.get(path),
    list: async (folder: string) =>
      [...paths.keys()]
        .filter((path) => path.startsWith(`${folder}/`))
        .map((path) => path.slice(folder.length + 1)),
  };
  const project = TrustedProject.fromTexts('/p', {});
  const { placed } = await listWorkflowFiles({ home: '/u', packageData: '/b', project }, files);
  return loadWorkflow(name, {
    placed,
    files,
    gates,
    ...(without === undefined ? {} : { without }),
    roles: {
      names: Object.keys(ROLES),
      answerOf: async (role) => ROLES[role] ?? 'generic',
    },
    chosen:
      chosen === undefined
        ? undefined
        : readYaml(chosen, (line, column) => ({ file: '/p/.supervisor/config.yaml', line, column }))
            .tree,
    git: { branchPattern: 'ai/{task_id}', autoCommit: false, pullRequests: true, ...git },
  });
}

/** A project with these files in `.supervisor`, and the templates and roles of the package. */
export async function openProjectTexts(
  texts: Readonly<Record<string, string>>,
  userConfig = '',
): Promise<Workflows> {
  const project = TrustedProject.fromTexts('/p', texts);
  const readFile = async (path: string, bytesMax: number): Promise<string | undefined> =>
    path === '/h/config.yaml' ? userConfig : readTextFile(path, bytesMax);
  const loaded = await loadSettings({ home: '/h', project, userDir: '/u', readFile });
  const files = project.over({ read: readFile, list: listFolder });
  return openWorkflows({ home: '/h', project, packageData, files, loaded });
}

/** The way forward from the first step, and where each step goes back to: `test (implement)`. */
export function describeChain({ definition }: LoadedWorkflow): readonly string[] {
  const { steps, initialStep } = definition;
  const way: string[] = [];
  let at: string | null = initialStep;
  while (at !== null && way.length < 60) {
    const step: LoadedWorkflow['definition']['steps'][string] | undefined = steps[at];
    if (step === undefined) break;
    const back = 'onReject' in step ? (step.onReject ?? step.onFail) : step.onFail;
    way.push(back === null ? step.id : `${step.id} (${back})`);
    at = step.next;
  }
  return way;
}
