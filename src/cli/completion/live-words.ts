/** The words that only this machine knows: ids of runs, names of agents and roles. */
import { realpathSync } from 'node:fs';
import { userHomeFolder } from '../../host/machine/account-home.ts';
import { defined } from '../../base/defined.ts';
import { isRefusal } from '../../base/errors.ts';
import { findOwner } from '../../client/connect.ts';
import { loadSettings } from '../../config/load-settings.ts';
import { listFolder } from '../../host/files/list-folder.ts';
import { packageData } from '../../host/files/package-data.ts';
import { readTextFile } from '../../host/files/read-text-file.ts';
import { runStatus } from '../../protocol/views/run-status.ts';
import { listRoles } from '../../roles/list-roles.ts';
import { withPacks } from '../../packs/installed-packs.ts';
import { roleSources } from '../../roles/role-path.ts';
import { AGENT_CLIS } from '../../settings/agent-config.ts';
import { TrustedProject } from '../../trust/trusted-project.ts';
import { listWorkflowFiles } from '../../workflow-files/workflow-path.ts';
import type { CliContext } from '../cli-context.ts';
import { stateHome } from '../connect-owner.ts';
import { projectOf } from '../input/project-path.ts';
import type { Candidate, LiveKind } from './complete-words.ts';

const RUNS_MAX = 50;
/** A person waits at the prompt. */
const ANSWER_MS_MAX = 2000;

/** Asks an owner that is running, and starts none. Files of a project count only if the user trusts them. */
export async function liveWords(
  context: CliContext,
  what: LiveKind,
): Promise<readonly Candidate[]> {
  switch (what) {
    case 'runs':
      return listRuns(context, true);
    case 'active-runs':
      return listRuns(context, false);
    case 'agents':
      return listAgents(context);
    case 'agent-ids':
      return listAgentIds(context);
    case 'roles':
      return listRoleNames(context);
    case 'workflows':
      return listWorkflowNames(context);
  }
}

async function listRuns(context: CliContext, ended: boolean): Promise<readonly Candidate[]> {
  const found = await findOwner(stateHome(context), ANSWER_MS_MAX);
  if (found === undefined) return [];
  const { client } = found;
  const active = await client.runs({ ended: false, limit: RUNS_MAX });
  const over = ended ? await client.runs({ ended: true, limit: RUNS_MAX }) : [];
  return [...active, ...over].map((view) => ({
    word: view.id,
    about: `${runStatus(view)}: ${view.task}`,
  }));
}

async function listAgents(context: CliContext): Promise<readonly Candidate[]> {
  const found = await findOwner(stateHome(context), ANSWER_MS_MAX);
  const agents = (await found?.client.agents.list(projectFolder(context))) ?? [];
  return agents.map(({ name, kind, state }) => ({ word: name, about: `${kind}, ${state}` }));
}

async function listAgentIds(context: CliContext): Promise<readonly Candidate[]> {
  const project = await trustedProject(context);
  const { settings } = await loadSettings({
    home: stateHome(context).dir,
    ...defined({ project }),
    userDir: userHomeFolder(),
    readFile: readTextFile,
  });
  const own = settings.agents.map(({ id, cli }) => ({ word: id as string, about: cli as string }));
  const plain = AGENT_CLIS.filter((cli) => cli !== 'custom').map((word) => ({ word, about: '' }));
  return [...own, ...plain.filter(({ word }) => own.every((one) => one.word !== word))];
}

async function listRoleNames(context: CliContext): Promise<readonly Candidate[]> {
  const project = await trustedProject(context);
  const plain = withPacks(stateHome(context).dir, { read: readTextFile, list: listFolder });
  const sources = roleSources({
    home: stateHome(context).dir,
    packageData,
    ...defined({ project }),
  });
  const { roles } = await listRoles(sources, project?.over(plain) ?? plain);
  return roles.map(({ name, description }) => ({ word: name, about: description ?? '' }));
}

async function listWorkflowNames(context: CliContext): Promise<readonly Candidate[]> {
  const project = await trustedProject(context);
  const plain = withPacks(stateHome(context).dir, { read: readTextFile, list: listFolder });
  const places = { home: stateHome(context).dir, packageData, ...defined({ project }) };
  const { placed } = await listWorkflowFiles(places, project?.over(plain) ?? plain);
  const names = placed.map(({ name }) => name).filter((name) => !name.startsWith('_'));
  return [...new Set(names)].map((word) => ({ word, about: '' }));
}

/** Undefined if the user has not trusted its files: completion must not ask. */
async function trustedProject(context: CliContext): Promise<TrustedProject | undefined> {
  try {
    return await TrustedProject.open({
      home: stateHome(context).dir,
      project: projectFolder(context),
    });
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

function projectFolder(context: CliContext): string {
  try {
    return projectOf(context, realpathSync(context.cwd));
  } catch {
    return context.cwd; // the folder was deleted
  }
}
