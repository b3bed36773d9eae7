/** Reads what the run of a step has left: its answer, its work, and why it failed. */
import { agentIdentity } from '../../attempts/choice/identity.ts';
import { defined } from '../../base/defined.ts';
import type { RunId } from '../../base/ids.ts';
import { parseRunId } from '../../base/ids.ts';
import type { Json } from '../../base/json.ts';
import { truncate } from '../../base/text.ts';
import type { Performer } from '../../engine/performer.ts';
import type { ExecutionHost } from '../../execution/environments/environment.ts';
import { workspacePortsFor } from '../../execution/environments/environment.ts';
import { FIRST_TREE } from '../../execution/environments/run-workspace.ts';
import { loadRun } from '../../engine/embedded/load-run.ts';
import { failureOf } from '../../failures/failure.ts';
import type { AcceptedGate } from '../../protocol/words/accepted-gate.ts';
import { isAccept, personName } from '../../protocol/words/accepted-gate.ts';
import type {
  AttemptOutcome,
  ClassifiedFailure,
  CommitNote,
} from '../../protocol/contracts/attempt-contract.ts';
import type { CommandEnd } from '../../protocol/commands.ts';
import type { RunEvent } from '../../protocol/event.ts';
import { WORKFLOW_PROGRAM } from '../../protocol/run-submission.ts';
import type {
  AgentConversation,
  CollectStepResult,
  WorkPoint,
} from '../../protocol/contracts/workflow-contract.ts';
import type { Journal } from '../../store/journal.ts';
import { workflowProgram } from '../../workflow/workflow-program.ts';
import type { WorkflowState } from '../../workflow/workflow-state.ts';
import { inspectProject } from '../../workspace/project.ts';
import {
  knownTreeOfCommit,
  openShadowRepo,
  readTree,
  treeOfCommit,
} from '../../workspace/shadow-repo.ts';
import { compareTrees } from '../../workspace/tree-entries.ts';
import type { WorkspacePorts } from '../../workspace/workspace.ts';
import { readRecord, workspacePaths } from '../../workspace/workspace.ts';
import { readHistoryBack } from '../runs/committed-work.ts';

/** The newest facts of a run decide. A run whose end is not among so many is not searched further. */
const FACTS_MAX = 20_000;
const SUMMARY_CHARS_MAX = 2000;

type CollectPorts = Pick<ExecutionHost, 'git' | 'clock' | 'tagOf' | 'userDir' | 'stateDir'> & {
  readonly journal: Journal;
};

export function collectStepPerformer(ports: CollectPorts): Performer<'collect-step'> {
  return {
    command: 'collect-step',
    perform: async (request) => {
      const { project, run: name, chosen, since, conversation } = request.input;
      const run = parseRunId(name);
      if (run === undefined) throw new Error(`${JSON.stringify(name)} is no run`);
      const { journal, stateDir } = ports;
      const git = workspacePortsFor(ports, request);
      if ((await journal.run(run))?.program === WORKFLOW_PROGRAM)
        return withChangedSince(
          await collectWorkflow(run, journal, (one) => findBase(one, project, stateDir, git)),
          { since, project, home: stateDir, git },
        );
      const { root, baseCommit, ...left } = await readLeft(readHistoryBack(journal, run), {
        conversation: conversation === true,
      });
      const asked = chosen === undefined ? {} : { chosen };
      const isFirstTree = left.work?.run === run && left.work.tree === FIRST_TREE;
      const known = isFirstTree && baseCommit !== null ? knownBase(run, baseCommit) : undefined;
      if (known !== undefined) return { ...left, ...asked, base: known };
      const recorded = root === null ? null : await baseIn(run, root, stateDir, git);
      return { ...left, ...asked, base: recorded ?? (await findBase(run, project, stateDir, git)) };
    },
  };
}

/** What a whole workflow has left. Its base is that of the run whose workspace its work belongs to. */
async function collectWorkflow(
  run: RunId,
  journal: Journal,
  baseOf: (run: RunId) => Promise<WorkPoint | null>,
): Promise<CollectStepResult> {
  const loaded = await loadRun(journal, workflowProgram, run);
  const {
    work = null,
    size = null,
    summary = '',
    interfaceChanges,
    notes,
  } = (loaded?.state ?? {}) as Partial<WorkflowState>;
  const owner = work === null ? undefined : parseRunId(work.run);
  return {
    answer: null,
    summary,
    work: work === null || size === null ? null : { ...work, ...size },
    base: owner === undefined ? null : await baseOf(owner),
    failure: null,
    ...defined({ interfaceChanges, notes }),
  };
}

type Since = {
  readonly since: string | undefined;
  readonly project: string;
  readonly home: string;
  readonly git: WorkspacePorts;
};

/** Work that began on other work contains it. Only what was changed after that belongs to the run. */
async function withChangedSince(
  result: CollectStepResult,
  { since, project, home, git }: Since,
): Promise<CollectStepResult> {
  const { work } = result;
  const run = work === null ? undefined : parseRunId(work.run);
  if (since === undefined || work === null || run === undefined) return result;
  const { root } = await inspectProject(git, { path: project, home });
  const workspace = { home, root, run, attempt: work.tree };
  const repo = await openShadowRepo(workspacePaths(workspace).project, git);
  const changes = compareTrees(await readTree(repo, since), await readTree(repo, work.commit));
  return { ...result, changedSince: changes.map(({ path }) => path) };
}

type Left = Omit<CollectStepResult, 'base'> & {
  /** The root of the project as the commit of the work names it. Null: nothing was committed. */
  readonly root: string | null;
  /** What the tree of that commit began with. */
  readonly baseCommit: string | null;
};

/** `facts` come newest first, each with the run that it belongs to. */
export async function readLeft(
  facts: AsyncIterable<readonly [RunId, RunEvent]>,
  {
    factsMax = FACTS_MAX,
    conversation = false,
  }: { readonly factsMax?: number; readonly conversation?: boolean } = {},
): Promise<Left> {
  let work: Left['work'] = null;
  let root: string | null = null;
  let baseCommit: string | null = null;
  let last: Pick<Left, 'answer' | 'summary' | 'failure'> | undefined;
  let read = 0;
  const answers = new Map<string, string>();
  const accepted: AcceptedGate[] = [];
  const finder = conversation ? new ConversationFinder() : undefined;
  for await (const [run, event] of facts) {
    read += 1;
    if (event.type === 'command.noted' && event.payload.note.kind === 'committed') {
      work ??= toWork(run, event.payload.note);
      root ??= event.payload.note.root;
      baseCommit ??= event.payload.note.base;
    }
    if (event.type === 'command.ended' && event.payload.command === 'attempt')
      last ??= ofAttempt(event.payload.end);
    // What a person accepted of an earlier attempt does not count for the last one.
    if (last === undefined) noteAccepted(event, answers, accepted);
    finder?.read(event);
    const isFound = work !== null && last !== undefined && finder?.isOver !== false;
    if (isFound || read >= factsMax) break;
  }
  return {
    ...(last ?? { answer: null, summary: '', failure: null }),
    work,
    root,
    baseCommit,
    ...(accepted.length === 0 ? {} : { accepted }),
    ...defined({ conversation: finder?.conversation }),
  };
}

/** Reads the conversation of the last attempt from its facts, the newest first. Its end comes before its begin. */
class ConversationFinder {
  conversation: AgentConversation | undefined;
  isOver = false;
  #key: string | undefined;
  #session: string | null = null;

  read({ type, payload }: RunEvent): void {
    if (this.isOver) return;
    if (type === 'command.ended' && payload.command === 'attempt' && this.#key === undefined) {
      const { key, end } = payload;
      this.#key = key;
      // The conversation of an attempt that failed is not continued.
      this.isOver = end.kind !== 'done' || end.result.kind !== 'completed';
      if (end.kind === 'done' && end.result.kind === 'completed')
        this.#session = end.result.session ?? null;
    }
    if (type === 'command.noted' && payload.key === this.#key && payload.note.kind === 'session')
      this.#session ??= payload.note.session;
    if (type !== 'command.begun' || payload.command !== 'attempt') return;
    if (payload.key !== this.#key) return;
    this.isOver = true;
    const { agent } = payload.input;
    const identity = agentIdentity(agent);
    if (this.#session !== null)
      this.conversation = { agent: agent.id, identity, session: this.#session };
  }
}

/** A question about a red gate that was answered with `accept`. Its end comes before its begin. */
function noteAccepted(
  event: RunEvent,
  answers: Map<string, string>,
  accepted: AcceptedGate[],
): void {
  if (event.type === 'command.ended' && event.payload.command === 'ask') {
    const { key, end } = event.payload;
    if (end.kind === 'done' && 'answer' in end.result && isAccept(end.result.answer))
      answers.set(key, personName(end.result.by));
  }
  if (event.type !== 'command.begun' || event.payload.command !== 'ask') return;
  const by = answers.get(event.payload.key);
  const { redGate } = event.payload.input;
  if (by !== undefined && redGate !== undefined) accepted.unshift({ gate: redGate, by });
}

function toWork(run: string, note: CommitNote): Left['work'] {
  const { tree, commit, content, files, added, deleted, names } = note;
  return { run, tree, commit, content, files, added, deleted, names };
}

function ofAttempt(end: CommandEnd<'attempt'>): Pick<Left, 'answer' | 'summary' | 'failure'> {
  if (end.kind === 'done') return ofOutcome(end.result);
  const message =
    end.kind === 'defect' ? end.message : 'the attempt was interrupted because the owner died';
  const reason = end.kind === 'defect' ? 'unknown' : 'interrupted';
  return { answer: null, summary: '', failure: failureOf({ kind: 'failed', reason, message }) };
}

function ofOutcome(outcome: AttemptOutcome): Pick<Left, 'answer' | 'summary' | 'failure'> {
  switch (outcome.kind) {
    case 'completed':
      return {
        answer: outcome.answer ?? null,
        summary: truncate(outcome.summary, SUMMARY_CHARS_MAX),
        failure: null,
      };
    case 'failed': {
      const answer: Json = outcome.answer ?? null;
      const failure: ClassifiedFailure = failureOf(outcome);
      return { answer, summary: truncate(outcome.message, SUMMARY_CHARS_MAX), failure };
    }
    case 'stopped':
      return { answer: null, summary: '', failure: null };
  }
}

/** Undefined: this process has not read the tree of the commit. */
function knownBase(run: RunId, commit: string): WorkPoint | undefined {
  const content = knownTreeOfCommit(commit);
  return content === undefined ? undefined : { run, tree: FIRST_TREE, commit, content };
}

async function findBase(
  run: RunId,
  project: string,
  home: string,
  git: WorkspacePorts,
): Promise<WorkPoint | null> {
  const { root } = await inspectProject(git, { path: project, home });
  return baseIn(run, root, home, git);
}

/** The record of the workspace names the base, whether or not the agent changed anything. */
async function baseIn(
  run: RunId,
  root: string,
  home: string,
  git: WorkspacePorts,
): Promise<WorkPoint | null> {
  const workspace = { home, root, run, attempt: FIRST_TREE };
  const record = await readRecord(workspace);
  if (record === undefined) return null;
  const repo = await openShadowRepo(workspacePaths(workspace).project, git);
  const content = await treeOfCommit(repo, record.base);
  return { run, tree: FIRST_TREE, commit: record.base, content };
}
