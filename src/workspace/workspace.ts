/** One agent's own tree, and what we wrote down about it where no agent can reach. */
import { join } from 'node:path';
import { Refusal } from '../base/errors.ts';
import type { RunId } from '../base/ids.ts';
import { isRecord, parseJson } from '../base/json.ts';
import { readSmallFile } from '../host/files/small-file.ts';
import type { Project, ProjectPorts } from './project.ts';
import type { SnapshotNote } from './snapshot.ts';
import { shadowRepoDir } from './shadow-repo.ts';

/** Names a workspace: one attempt of one run. */
export type WorkspaceId = {
  /** Where our own state lies. */
  readonly home: string;
  /** The top of the user's tree, as the record has it. */
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
  /** In the vault: what the user had when it was made. */
  readonly base: string;
  /** In the user's repository, when it has one. */
  readonly head: string | null;
  /** Where in the tree the user stood. */
  readonly inside: string;
  /** Repositories inside the user's tree: they are not the agent's to change. */
  readonly repositories: readonly string[];
  readonly notes: readonly SnapshotNote[];
  /** The attempt whose work it began with, if it did not begin afresh. */
  readonly continues: number | null;
  readonly atMs: number;
};

export type WorkspacePaths = {
  readonly project: string;
  /** The agent's own tree. */
  readonly work: string;
  /** The same on its way out. */
  readonly gone: string;
  readonly record: string;
  /** Which commit holds its work, and what that commit does not hold. */
  readonly kept: string;
  readonly excludes: string;
  /** Held for as long as an attempt may be working in the tree. */
  readonly lock: string;
};

export function workspacePaths({ home, root, run, attempt }: WorkspaceId): WorkspacePaths {
  const project = shadowRepoDir(home, root);
  const own = join(project, 'trees', run, String(attempt));
  return {
    project,
    work: join(own, 'work'),
    gone: join(own, 'gone'),
    record: join(own, 'record.json'),
    kept: join(own, 'kept.json'),
    excludes: join(own, 'exclude'),
    lock: join(project, 'trees', run, `${attempt}.lock`),
  };
}

/** The ref of the vault on which an attempt's work is kept. */
export function keptRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor/${run}/${attempt}`;
}

/** What an attempt began with. */
export function baseRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-base/${run}/${attempt}`;
}

/** What the user had just before an attempt's work was applied. */
export function beforeRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-before/${run}/${attempt}`;
}

/** Names what the user had before the apply that was last completed. */
export function appliedRef({ run, attempt }: Pick<WorkspaceId, 'run' | 'attempt'>): string {
  return `refs/supervisor-applied/${run}/${attempt}`;
}

const RECORD_BYTES_MAX = 1_000_000;

/** The record of a workspace that was made whole; undefined when there is none. */
export async function readRecord(place: WorkspaceId): Promise<WorkspaceRecord | undefined> {
  const read = await readSmallFile(workspacePaths(place).record, RECORD_BYTES_MAX);
  const found = read.kind === 'text' ? parseJson(read.text) : undefined;
  return isRecord(found) && found['version'] === 1 ? (found as WorkspaceRecord) : undefined;
}

export async function requireRecord(place: WorkspaceId): Promise<WorkspaceRecord> {
  const record = await readRecord(place);
  if (record === undefined) throw noRecord(place);
  return record;
}

export function noRecord(place: WorkspaceId): Refusal {
  return new Refusal({
    code: 'workspace.not-found',
    message: `Attempt ${place.attempt} of run ${place.run} has no workspace.`,
    hint: 'See which there are with: supervisor runs',
  });
}
