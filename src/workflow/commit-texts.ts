/** The words of a commit and of its pull request: from the configuration of the step, outputs, or the task. */
import type { Json } from '../base/json.ts';
import { cutAtWord, oneLine } from '../base/text.ts';
import type { CommitStep } from '../protocol/workflow-definition.ts';
import { branchName } from './branch-name.ts';
import { fillIn } from './outputs.ts';
import type { WorkflowState } from './workflow-state.ts';
import { definitionOf } from './workflow-state.ts';

const TITLE_MAX = 72;

export type CommitTexts = {
  readonly branch: string | null;
  readonly message: string;
  readonly title: string;
  readonly body: string;
};

export function commitTexts(state: WorkflowState, { config }: CommitStep): CommitTexts {
  const { task, settings, summary, outputs } = state;
  const { taskId } = settings.workflow;
  const { branchPattern } = definitionOf(state).git;
  const branch = branchPattern === null ? null : branchName(branchPattern, taskId, task);
  const subject = cutAtWord(oneLine(task), TITLE_MAX);
  const values = {
    ...{ task, task_id: taskId, branch: branch ?? '', pr_title: subject, pr_body: summary },
    ...outputs,
  };
  const body = oneLine(summary) === '' || oneLine(summary) === subject ? '' : `\n\n${summary}`;
  const written = (key: string, otherwise: string): string =>
    fillIn(textIn(config, key) ?? otherwise, values);
  return {
    branch,
    message: written('message', `${subject}${body}`),
    title: cutAtWord(oneLine(written('title', textIn(outputs, 'pr_title') ?? subject)), TITLE_MAX),
    body: written('body', textIn(outputs, 'pr_body') ?? summary),
  };
}

function textIn(values: Readonly<Record<string, Json>>, key: string): string | undefined {
  const value = Object.hasOwn(values, key) ? values[key] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
