import { isRecord } from '../base/json.ts';
import type { CollectStepResult } from './contracts/workflow-contract.ts';

/**
 * How many files the work of a step changes. Undefined: it has no work. What a planner or a reviewer wrote is dropped,
 * and only the answer of a role that writes names files.
 */
export function writtenFiles({ answer, work, chosen }: CollectStepResult): number | undefined {
  if (chosen === true) return work?.files;
  return isRecord(answer) && 'files_modified' in answer ? work?.files : undefined;
}
