/** What the steps of a workflow have left besides their runs: the results of its gates, its work and its commit. */
import type { CommandEnd } from '../../protocol/commands.ts';
import { writtenFiles } from '../../protocol/written-files.ts';
import type { GateRecord } from '../runs/gate-record.ts';

export type StepRecords = {
  /** The last result of each gate, in the order in which they ended. */
  readonly gates: readonly GateRecord[];
  /** The run that has left the current work, and how many files it changes. Null: none has. */
  readonly work: { readonly run: string; readonly files: number } | null;
  /** The commit that the workflow has made. Null: it has made none. */
  readonly commit: StepCommit | null;
};

export type StepCommit = {
  readonly branch: string;
  readonly commit: string;
  /** Null: none was wanted. */
  readonly pullRequest: string | null;
};

export const NO_STEP_RECORDS: StepRecords = { gates: [], work: null, commit: null };
const GATES_MAX = 100;

export function withStepGate(records: StepRecords, gate: GateRecord): StepRecords {
  const others = records.gates.filter(({ name }) => name !== gate.name);
  return { ...records, gates: [...others, gate].slice(-GATES_MAX) };
}

export function withCollected(records: StepRecords, end: CommandEnd<'collect-step'>): StepRecords {
  if (end.kind !== 'done') return records;
  const files = writtenFiles(end.result);
  const run = end.result.work?.run;
  return files === undefined || run === undefined ? records : { ...records, work: { run, files } };
}

export function withCommit(records: StepRecords, end: CommandEnd<'commit-work'>): StepRecords {
  if (end.kind !== 'done' || end.result.kind !== 'committed') return records;
  const { branch, commit, pullRequest } = end.result;
  return { ...records, commit: { branch, commit, pullRequest } };
}
