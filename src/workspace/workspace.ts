/** The tree of one agent, and the record about it in a place that no agent can reach. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/read-text-file.ts';
import type { Project, ProjectPorts } from './project.ts';
import type { SnapshotNote } from './snapshot.ts';
import { shadowRepoDir } from './shadow-repo.ts';

/** Identifies a workspace: one attempt of one run. */
export type WorkspaceId = {
  /** The folder of our own state. */
  readonly home: string;
  /** The root of the user's tree, as recorded. */
  readonly root: string;
  readonly run: RunId;
  readonly attempt: number;
};

export type WorkspacePorts = ProjectPorts;

export type WorkspaceRecord = {
  readonly version: 1;
  readonly run: RunId;
  readonly attempt: number;
  readonly root: string;
  readonly kind: Project['kind'];
  /** A commit of the shadow repository: the user's state when the workspace was created. */
  readonly base: string;
  /** The user's own commit, if the project has one. */
  readonly head: string | null;
  /** The user's folder inside the tree. */
  readonly inside: string;
  /** Repositories inside the user's tree. The agent must not change them. */
  readonly repositories: readonly string[];
  readonly notes: readonly SnapshotNote[];
  /** The commit of another run that it started with. Absent: it started with the base, or with the work of an attempt. */
  readonly start?: string;
  /** The attempt whose work it started with. Null if it started from the user's state. */
  readonly continues: number | null;
  readonly atMs: number;
};

export type WorkspacePaths = {
  readonly project: string;
  /** The agent's own tree. */
  readonly work: string;
  /** The tree while it is being removed. */
  readonly removing: string;
  readonly record: string;
  /** The file that names the commit with the work, and the entries that the commit lacks. */
  readonly committedFile: string;
  readonly excludes: string;
  /** Held for as long as an attempt may be running in the tree. */
  readonly lock: string;
};

export function workspacePaths({ home, root, run, attempt }: WorkspaceId): WorkspacePaths {
  const project = shadowRepoDir(home, root);
  const attemptDir = join(project, 'trees', run, String(attempt));
  return {
    project,
    work: join(attemptDir, 'work'),
    removing: join(attemptDir, 'gone'),
    record: join(attemptDir, 'record.json'),
    committedFile: join(attemptDir, 'kept.json'),
    excludes: join(attemptDir, 'exclude'),
    lock: join(project, 'trees', run, `${attempt}.lock`),
  };
}

/** The ref of the shadow repository with the committed work of an attempt. */
export function workRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor/${run}/${attempt}`;
}

/** The state that an attempt started with. */
export function baseRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-base/${run}/${attempt}`;
}

/** The user's state just before the work of an attempt was applied. */
export function beforeRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-before/${run}/${attempt}`;
}

/** The user's state just before an apply was undone. */
export function undoRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-undo/${run}/${attempt}`;
}

/** Points to the user's state before the apply or undo that was completed last. */
export function appliedRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-applied/${run}/${attempt}`;
}

const RECORD_BYTES_MAX = 1_000_000;

/** The record of a completed workspace. Undefined if there is none. */
export async function readRecord(workspace: WorkspaceId): Promise<WorkspaceRecord | undefined> {
  const read = await readSmallFile(workspacePaths(workspace).record, RECORD_BYTES_MAX);
  const found = read.kind === 'text' ? parseJson(read.text) : undefined;
  return isRecord(found) && found['version'] === 1 ? (found as WorkspaceRecord) : undefined;
}

export async function requireRecord(workspace: WorkspaceId): Promise<WorkspaceRecord> {
  const record = await readRecord(workspace);
  if (record === undefined) throw noRecord(workspace);
  return record;
}

export function noRecord(workspace: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `The workspace of attempt ${workspace.attempt} of run ${workspace.run} is gone.`,
    hint: `Its work may still be stored. Apply it with your own git: supervisor diff ${workspace.run} --raw | git apply`,
  });
}
