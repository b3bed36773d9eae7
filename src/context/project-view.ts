/** What packing sees of a project: its files, and what version control says has changed. */
import type { ContextDiff } from '../settings/role-file.ts';
import type { ExclusionReason, FileMention } from './exclude.ts';

export type ProjectFile =
  | { readonly kind: 'text'; readonly text: string; readonly hash: string }
  | { readonly kind: 'left-out'; readonly why: ExclusionReason }
  | { readonly kind: 'absent' };

/** One file that is staged. A hash is null where the file is not there. */
export type ProjectChange = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
};

export interface ProjectView {
  /** Every file, relative and with forward slashes, in order. */
  readonly paths: readonly string[];
  read(path: string, mention: FileMention): Promise<ProjectFile>;
  /** Empty where nothing has changed; undefined where there is no version control. */
  diff(which: ContextDiff): Promise<string | undefined>;
  /** Everything that is staged. */
  changes(): Promise<readonly ProjectChange[]>;
  /** The files of `changes` as they are staged, which may not be how they lie in the folder. */
  readStaged(change: ProjectChange): Promise<ProjectFile>;
}
