/** What the user's git did with the work of a run, as scripts read it. */
import type { Payload } from '../protocol/event.ts';

export function mergedData({ branch, into, made }: Payload<'work.merged'>): {
  readonly branch: string;
  readonly into: string;
  readonly commit: string;
} {
  return { branch, into, commit: made };
}

export function rolledBackData({ how, commits, phase, project }: Payload<'work.rolled-back'>): {
  readonly action: 'reverted' | 'branch-deleted' | 'branch-shortened';
  readonly commits: string[];
  readonly phase: string | null;
  readonly project: string | null;
} {
  return { action: how, commits, phase: phase ?? null, project: project ?? null };
}
